// Draws any number of morph targets in three.js: their changes of position and normal lie in a float texture that the
// vertex shader reads before the skin is applied. three r111 has room for 8 targets, or 4 with normals; newer ones for
// as many as the shader has uniforms.

const TEXTURE_WIDTH = 2048;  // a power of two: a texel's row and column are exact
const textures = new WeakMap();
const originals = new WeakMap();  // of geometries and materials made here: what the mesh had before

const VERTEX_HEAD = `
attribute float supple_vertex;
uniform highp sampler2D supple_targets;
uniform vec4 supple_weights[SUPPLE_GROUPS];
uniform vec3 supple_layout;  // texels of one target, of one vertex, rows
uniform float supple_normals;
varying float supple_far;
vec3 supple_texel(float i) {
  float row = floor((i + 0.5) / ${TEXTURE_WIDTH}.0);
  return texture2D(supple_targets, vec2((i - row * ${TEXTURE_WIDTH}.0 + 0.5) / ${TEXTURE_WIDTH}.0,
                                        (row + 0.5) / supple_layout.z)).xyz;
}
vec3 supple_sum(float which) {
  vec3 sum = vec3(0.0);
  if (supple_vertex < 0.0) return sum;
  float at = supple_vertex * supple_layout.y + which;
  for (int g = 0; g < SUPPLE_GROUPS; ++g) {
    vec4 w = supple_weights[g];
    if (w.x != 0.0) sum += w.x * supple_texel(at);
    at += supple_layout.x;
    if (w.y != 0.0) sum += w.y * supple_texel(at);
    at += supple_layout.x;
    if (w.z != 0.0) sum += w.z * supple_texel(at);
    at += supple_layout.x;
    if (w.w != 0.0) sum += w.w * supple_texel(at);
    at += supple_layout.x;
  }
  return sum;
}
`;
const VERTEX_NORMAL = `
if (supple_layout.y > 1.5 && supple_normals > 0.5) objectNormal += supple_sum(1.0);
`;
const VERTEX_POSITION = `
vec3 supple_moved = supple_sum(0.0);
supple_far = length(supple_moved);
transformed += supple_moved;
`;
const FRAGMENT_HEAD = `
uniform float supple_show;  // mesh units drawn as the hottest colour; 0: own colours
varying float supple_far;
vec3 supple_heat(float t) {
  vec3 c = mix(vec3(0.57, 0.61, 0.65), vec3(0.87, 0.58, 0.08), clamp(3.0 * t, 0.0, 1.0));
  c = mix(c, vec3(0.77, 0.13, 0.02), clamp(3.0 * t - 1.0, 0.0, 1.0));
  return mix(c, vec3(0.24, 0.005, 0.03), clamp(3.0 * t - 2.0, 0.0, 1.0));
}
`;
const FRAGMENT_COLOUR = `
if (supple_show > 0.0) diffuseColor.rgb = supple_heat(supple_far / supple_show);
`;

// Vertices that no target moves are left out; `rows` gives a vertex's place, -1 for none. Kept for each geometry, so
// that copies of a model share it.
function textureOf(THREE, geometry) {
  let made = textures.get(geometry);
  if (made) return made.users++, made;
  const positions = geometry.morphAttributes.position, normals = geometry.morphAttributes.normal;
  const base = geometry.morphTargetsRelative ? null : geometry.attributes, n = geometry.attributes.position.count;
  // For a target without positions or normals the loader puts in the mesh's own: no change.
  const missing = new Set([geometry.attributes.position, geometry.attributes.normal]);
  const delta = (attribute, from, v) => missing.has(attribute) ? [0, 0, 0] :
      [attribute.getX(v) - (from ? from.getX(v) : 0), attribute.getY(v) - (from ? from.getY(v) : 0),
       attribute.getZ(v) - (from ? from.getZ(v) : 0)];
  const rows = new Float32Array(n).fill(-1), from = base && base.position, fromNormal = base && base.normal;
  let moved = 0;
  for (let v = 0; v < n; ++v)
    if (positions.some(p => delta(p, from, v).some(x => x !== 0)) ||
        (normals && normals.some(p => delta(p, fromNormal, v).some(x => x !== 0)))) rows[v] = moved++;
  const each = normals ? 2 : 1, stride = Math.max(1, moved) * each, texels = stride * positions.length;
  const height = Math.max(1, Math.ceil(texels / TEXTURE_WIDTH)), data = new Float32Array(4 * TEXTURE_WIDTH * height);
  for (let t = 0; t < positions.length; ++t)
    for (let v = 0; v < n; ++v) {
      if (rows[v] < 0) continue;
      const at = 4 * (t * stride + rows[v] * each);
      data.set(delta(positions[t], from, v), at);
      if (normals) data.set(delta(normals[t], fromNormal, v), at + 4);
    }
  const texture = new THREE.DataTexture(data, TEXTURE_WIDTH, height, THREE.RGBAFormat, THREE.FloatType);
  texture.minFilter = texture.magFilter = THREE.NearestFilter;
  texture.generateMipmaps = false;
  texture.needsUpdate = true;
  made = {texture, rows: new THREE.BufferAttribute(rows, 1), layout: [stride, each, height], users: 1};
  textures.set(geometry, made);
  return made;
}

// A number that tells shaders apart which the material's owner changes in different ways.
function fingerprint(text) {
  let h = 0;
  for (let i = 0; i < text.length; ++i) h = (31 * h + text.charCodeAt(i)) | 0;
  return h >>> 1;
}

function patch(material, uniforms, groups) {
  const before = material.onBeforeCompile, key = fingerprint(String(before));
  material.defines = Object.assign({}, material.defines, {SUPPLE_GROUPS: groups, SUPPLE_AFTER: key});
  material.onBeforeCompile = function(shader, renderer) {
    if (before) before.call(this, shader, renderer);
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = VERTEX_HEAD + shader.vertexShader
        .replace('#include <beginnormal_vertex>', '#include <beginnormal_vertex>' + VERTEX_NORMAL)
        .replace('#include <begin_vertex>', '#include <begin_vertex>' + VERTEX_POSITION);
    if (shader.fragmentShader.includes('#include <color_fragment>'))
      shader.fragmentShader = FRAGMENT_HEAD + shader.fragmentShader
          .replace('#include <color_fragment>', '#include <color_fragment>' + FRAGMENT_COLOUR);
  };
  material.morphTargets = material.morphNormals = false;  // of three before r126; later ones go by the geometry
  material.needsUpdate = true;
  return material;
}

// three's own limit for a mesh with this many targets.
export function threeDraws(THREE, renderer, geometry) {
  const count = geometry.morphAttributes.position.length, revision = parseInt(THREE.REVISION, 10);
  const capabilities = renderer && renderer.capabilities;
  if (revision < 133 || (capabilities && capabilities.isWebGL2 === false))
    return count <= (geometry.morphAttributes.normal ? 4 : 8);
  return count <= (capabilities && capabilities.maxVertexUniforms ? capabilities.maxVertexUniforms / 4 : 64);
}

// A copy of a model that is attached already comes with our geometry and materials: back to the loaded ones.
export function restore(mesh) {
  const influences = mesh.morphTargetInfluences, names = mesh.morphTargetDictionary;
  const back = material => originals.get(material) || material;
  if (!originals.has(mesh.geometry)) return;
  mesh.geometry = originals.get(mesh.geometry);
  mesh.material = Array.isArray(mesh.material) ? mesh.material.map(back) : back(mesh.material);
  mesh.morphTargetInfluences = influences;
  mesh.morphTargetDictionary = names;
}

// Takes over the drawing of a mesh's targets. The mesh gets a geometry and materials of its own (weights differ from
// copy to copy); dispose() gives back what it had.
export class Deformer {
  constructor(THREE, mesh) {
    this.mesh = mesh;
    this.geometry = mesh.geometry;
    this.material = mesh.material;
    this.depth = mesh.customDepthMaterial;
    this.distance = mesh.customDistanceMaterial;
    this.made = textureOf(THREE, this.geometry);
    const groups = Math.ceil(this.geometry.morphAttributes.position.length / 4);
    this.groups = Array.from({length: groups}, () => new THREE.Vector4());
    this.uniforms = {
      supple_targets: {value: this.made.texture}, supple_weights: {value: this.groups},
      supple_layout: {value: new THREE.Vector3(...this.made.layout)}, supple_normals: {value: 1},
      supple_show: {value: 0},
    };

    const own = new THREE.BufferGeometry();
    for (const name of Object.keys(this.geometry.attributes)) own.setAttribute(name, this.geometry.attributes[name]);
    own.setAttribute('supple_vertex', this.made.rows);
    originals.set(own, this.geometry);
    own.setIndex(this.geometry.index);
    own.groups = this.geometry.groups;
    own.boundingBox = this.geometry.boundingBox;
    own.boundingSphere = this.geometry.boundingSphere;
    own.name = this.geometry.name;
    own.userData = this.geometry.userData;
    own.drawRange = this.geometry.drawRange;
    const influences = mesh.morphTargetInfluences, names = mesh.morphTargetDictionary;
    mesh.geometry = own;
    mesh.morphTargetInfluences = influences;
    mesh.morphTargetDictionary = names;

    const taken = material => {
      // The loader's specular-glossiness material does not survive a plain copy.
      const copy = material.isGLTFSpecularGlossinessMaterial ? material : material.clone();
      for (const hook of ['onBeforeCompile', 'customProgramCacheKey'])
        if (Object.prototype.hasOwnProperty.call(material, hook)) copy[hook] = material[hook];
      if (copy !== material) originals.set(copy, material);
      return patch(copy, this.uniforms, groups);
    };
    mesh.material = Array.isArray(this.material) ? this.material.map(taken) : taken(this.material);
    const first = Array.isArray(this.material) ? this.material[0] : this.material;
    const shadow = material => {
      if ('skinning' in first) material.skinning = first.skinning;
      if (first.map && first.alphaTest > 0) material.map = first.map, material.alphaTest = first.alphaTest;
      return patch(material, this.uniforms, groups);
    };
    mesh.customDepthMaterial = shadow(new THREE.MeshDepthMaterial({depthPacking: THREE.RGBADepthPacking}));
    mesh.customDistanceMaterial = shadow(new THREE.MeshDistanceMaterial());
  }
  update() {
    const w = this.mesh.morphTargetInfluences;
    this.groups.forEach((g, i) => g.set(w[4 * i] || 0, w[4 * i + 1] || 0, w[4 * i + 2] || 0, w[4 * i + 3] || 0));
  }
  dispose() {
    const mesh = this.mesh, influences = mesh.morphTargetInfluences, names = mesh.morphTargetDictionary;
    for (const m of [].concat(mesh.material, mesh.customDepthMaterial, mesh.customDistanceMaterial))
      if (![].concat(this.material).includes(m)) m.dispose();
    mesh.geometry.dispose();
    mesh.geometry = this.geometry;
    mesh.material = this.material;
    mesh.customDepthMaterial = this.depth;
    mesh.customDistanceMaterial = this.distance;
    mesh.morphTargetInfluences = influences;
    mesh.morphTargetDictionary = names;
    if (--this.made.users === 0) {
      this.made.texture.dispose();
      textures.delete(this.geometry);
    }
  }
}
