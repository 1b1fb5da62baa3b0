// The moving surface of report.html: what came out, the input as a wireframe over it, and how far the two are apart.
'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const text = id => $(id).textContent;
  const about = JSON.parse(text('motion'));

  const {Surface, Wire, HEAT, SOFT, region_color} = supple_surface(about);

  function length(metres) {
    const mm = 1000 * metres, digits = x => Number(x.toPrecision(2)).toString();
    if (mm > 0 && mm < 0.01) return digits(1000 * mm) + ' µm';
    return mm >= 1000 ? digits(metres) + ' m' : digits(mm) + ' mm';
  }
  const share = metres => Number((100 * metres / about.size_m).toPrecision(2)) + ' %';

  function give_up(why) {
    $('viewer').hidden = true;
    $('poster').hidden = false;
    $('no-viewer').hidden = false;
    $('no-viewer').textContent = why;
  }

  // Decodes a little at a time, so that the page stays responsive.
  function decode(motion, done) {
    const frames = [], until = performance.now() + 30;
    (function some() {
      const stop = Math.max(until, performance.now() + 30);
      while (frames.length < about.frames && performance.now() < stop) frames.push(motion.frames.next());
      if (frames.length < about.frames) return void setTimeout(some, 0);
      done(frames);
    })();
  }

  // Where it all happens, in the page's axes (y up): a box around all of it, the size of the body, the middle of the
  // input at each frame, and some places on the surface as [frame, place].
  function survey(frames, turn) {
    const out = {box: new THREE.Box3(), size: 0, path: [], places: []}, few = Math.ceil(frames.length / 40);
    const some = 3 * Math.ceil(about.points / 600);
    frames.forEach((f, k) => {
      const one = new THREE.Box3(), middle = new THREE.Vector3();
      let n = 0;
      for (let i = 0; i < f.result.length; i += some, ++n)
        for (const x of [f.input, f.result]) {
          const p = new THREE.Vector3(...about.low.map((low, a) => low + about.step * x[i + a])).applyMatrix4(turn);
          one.expandByPoint(p);
          if (x === f.input) middle.add(p);
          if (k % few === 0) out.places.push([k, p]);
        }
      out.path.push(middle.divideScalar(n));
      out.box.union(one);
      out.size = Math.max(out.size, one.getSize(middle.clone()).length());
    });
    out.size = out.size || 1;
    return out;
  }

  // From the front, a little to the side and above; just far enough away for all of the motion. A point with
  // coordinates x, y across the picture and z towards the eye is in it when |x - cx| <= wide (d - z), likewise y: that
  // gives the least d, and cx and cy.
  function place_camera(camera, controls, points, size) {
    const back = new THREE.Vector3(0.62, 0.32, 1).normalize();
    const right = new THREE.Vector3(0, 1, 0).cross(back).normalize(), up = back.clone().cross(right);
    const tall = Math.tan(camera.fov * Math.PI / 360), wide = tall * camera.aspect;
    const depths = points.map(p => p.dot(back)), depth = (Math.max(...depths) + Math.min(...depths)) / 2;
    const fit = (axis, slope) => {
      let most = -Infinity, least = Infinity;
      for (const p of points) {
        const x = p.dot(axis), z = slope * p.dot(back);
        most = Math.max(most, x + z), least = Math.min(least, x - z);
      }
      return {middle: (most + least) / 2, away: (most - least) / (2 * slope)};
    };
    const across = fit(right, wide), along = fit(up, tall);
    const away = 1.15 * (Math.max(across.away, along.away) - depth) || size;
    controls.target.set(0, 0, 0).addScaledVector(right, across.middle).addScaledVector(up, along.middle)
        .addScaledVector(back, depth);
    camera.position.copy(controls.target).addScaledVector(back, away);
    camera.near = size / 100, camera.far = 5 * away + 60 * size;
    camera.updateProjectionMatrix();
    controls.minDistance = size / 10, controls.maxDistance = 4 * away + 8 * size;
    controls.update();
  }

  // Squares of a round length under all of the motion, and its shadow on them; returns that length.
  function add_ground(scene, box, body) {
    const size = box.getSize(new THREE.Vector3()), centre = box.getCenter(new THREE.Vector3());
    const wanted = Math.max(body / 6, Math.max(size.x, size.z) / 60) * about.metres;
    const ten = Math.pow(10, Math.floor(Math.log10(wanted)));
    const square = [1, 2, 5, 10].map(k => k * ten).find(s => s >= wanted * 0.999) / about.metres;
    const n = 2 * Math.ceil((0.5 * Math.max(size.x, size.z) + 1.2 * body) / square);
    const [axis, line] = [0x9aa2ab, 0xb9bfc6].map(c => new THREE.Color(c).convertSRGBToLinear());
    const grid = new THREE.GridHelper(n * square, n, axis, line);
    const snap = v => Math.round(v / square) * square;
    grid.position.set(snap(centre.x), box.min.y - 1e-3 * body, snap(centre.z));
    scene.add(grid);
    const shadow = new THREE.Mesh(new THREE.PlaneBufferGeometry(n * square, n * square),
                                  new THREE.ShadowMaterial({opacity: 0.2, depthWrite: false}));
    shadow.rotation.x = -Math.PI / 2;
    shadow.position.copy(grid.position);
    shadow.receiveShadow = true;
    scene.add(shadow);
    return square * about.metres;
  }

  // Returns what takes the light, and its shadow, to where the body is.
  function add_lights(scene, camera, body) {
    scene.add(new THREE.HemisphereLight(0xffffff, 0xb8b2a8, 0.6));
    const key = new THREE.DirectionalLight(0xfff6ea, 0.5);
    key.castShadow = true;
    key.shadow.mapSize.set(2048, 2048);
    Object.assign(key.shadow.camera, {left: -body, right: body, top: body, bottom: -body, near: 0.1 * body,
                                      far: 8 * body});
    key.shadow.radius = 3;
    scene.add(key, key.target);
    camera.add(new THREE.DirectionalLight(0xffffff, 0.12));  // goes with the viewer
    scene.add(camera);
    const from = new THREE.Vector3(-0.5, 1.5, 0.8).normalize().multiplyScalar(3 * body);
    return place => {
      key.target.position.copy(place);
      key.position.copy(place).add(from);
    };
  }

  function hash_options() {
    const out = {};
    for (const part of location.hash.slice(1).split('&')) {
      const [key, value] = part.split('=');
      if (key) out[key] = Number(value);
    }
    return out;
  }

  function show(motion, frames) {
    $('viewer').hidden = false;
    $('poster').hidden = true;
    const stage = $('stage'), options = hash_options();
    const renderer = new THREE.WebGLRenderer({antialias: true, alpha: true});
    renderer.gammaOutput = true, renderer.gammaFactor = 2.2;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    stage.prepend(renderer.domElement);
    const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(30, 1.6, 0.01, 100);
    const turn = new THREE.Matrix4();
    if (about.up === 'z') turn.makeRotationX(-Math.PI / 2);
    if (about.up === 'x') turn.makeRotationZ(Math.PI / 2);
    const body = new THREE.Group(), surface = new Surface(motion), wire = new Wire(motion);
    body.applyMatrix(turn);
    body.add(surface.mesh, wire.group);
    scene.add(body);
    const where = survey(frames, turn), square = add_ground(scene, where.box, where.size);
    const light_at = add_lights(scene, camera, where.size);
    const controls = new THREE.OrbitControls(camera, renderer.domElement);
    // The wheel scrolls the page until the picture has been clicked.
    controls.enableZoom = false;
    stage.addEventListener('pointerdown', () => controls.enableZoom = true);
    stage.addEventListener('touchstart', () => controls.enableZoom = true, true);
    stage.addEventListener('mouseleave', () => controls.enableZoom = false);

    const last = frames.length - 1;
    let now = 0, playing = false, speed = 1, dirty = true, moved = true, before = 0, seen = where.path[0];
    const redraw = () => dirty = true;
    surface.changed = redraw;
    controls.addEventListener('change', redraw);

    const go = to => { now = Math.min(last, Math.max(0, to)); moved = true; };
    const play = on => {
      playing = on && last > 0;
      $('play').textContent = playing ? 'Pause' : 'Play';
      if (!on) go(Math.round(now));
    };
    function tell(most) {
      const k = Math.round(now);
      $('frame').value = k;
      $('count').textContent = 'frame ' + k * about.every + ' of ' + last * about.every + ' · ' +
          (k / about.fps).toFixed(2) + ' s';
      if ($('heat').checked) $('farthest').textContent = 'farthest in this frame: ' + length(most) + ', ' + share(most);
    }
    // The middle of the input, on the ground: what the camera follows.
    const middle = at => {
      const k = Math.floor(at);
      return where.path[k].clone().lerp(where.path[Math.min(last, k + 1)], at - k);
    };
    const level = v => v.setY(0);
    function update() {
      const k = Math.floor(now), a = frames[k], b = frames[Math.min(last, k + 1)], t = now - k, place = middle(now);
      wire.update(a, b, t);
      light_at(place);
      if ($('follow').checked) {
        const by = level(place.clone().sub(seen));
        camera.position.add(by);
        controls.target.add(by);
        controls.update();
      }
      seen = place;
      tell(surface.update(a, b, t, wire.points));
    }
    function look() {
      const here = middle(now), follow = $('follow').checked;
      place_camera(camera, controls, where.places.map(
          ([k, p]) => follow ? p.clone().add(level(here.clone().sub(where.path[k]))) : p), where.size);
      redraw();
    }
    function draw(time) {
      requestAnimationFrame(draw);
      const passed = Math.min(0.25, (time - before) / 1000);
      before = time;
      if (playing) {
        const to = now + passed * speed * about.fps;
        go(to > last ? 0 : to);
      }
      if (moved) update();
      if (moved || dirty) {
        const away = camera.position.distanceTo(controls.target);
        wire.suit(2 * away * Math.tan(camera.fov * Math.PI / 360) / stage.clientHeight);
        renderer.render(scene, camera);
      }
      moved = dirty = false;
    }
    function fit() {
      const w = stage.clientWidth, h = stage.clientHeight;
      if (!w || !h) return;
      renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
      renderer.setSize(w, h);
      camera.aspect = w / h;
      camera.updateProjectionMatrix();
      redraw();
    }

    $('frame').max = last;
    $('frame').addEventListener('input', () => { play(false); go(Number($('frame').value)); });
    $('play').addEventListener('click', () => play(!playing));
    $('wire').addEventListener('change', () => { wire.group.visible = $('wire').checked; redraw(); });
    // One at a time.
    const painted = {heat: 'legend', soft: 'legend-soft', regions: 'legend-regions'};
    for (const what in painted)
      $(what).addEventListener('change', () => {
        const on = $(what).checked;
        for (const other in painted) {
          if (other !== what) $(other).checked = false;
          $(painted[other]).hidden = !on || other !== what;
        }
        surface.show(on ? what : null);
        moved = true;
      });
    $('has-soft').hidden = !motion.softness;
    $('has-regions').hidden = !motion.regions;
    about.regions.forEach((name, k) => {
      const item = document.createElement('li'), swatch = document.createElement('i');
      swatch.style.background = 'rgb(' + region_color(k).map(Math.round).join(',') + ')';
      item.append(swatch, name);
      $('legend-regions').querySelector('ul').append(item);
    });
    $('reset').addEventListener('click', look);
    $('follow').addEventListener('change', look);
    const speeds = document.querySelectorAll('[data-speed]');
    for (const button of speeds)
      button.addEventListener('click', () => {
        speed = Number(button.dataset.speed);
        for (const other of speeds) other.setAttribute('aria-pressed', other === button);
      });
    // Whatever has the focus: what it would do itself, browsers do when the key goes down or when it comes up. Return
    // does it in place of the space bar.
    for (const kind of ['keydown', 'keyup'])
      document.addEventListener(kind, e => {
        const box = e.target.matches && e.target.matches('input[type=checkbox]');
        if (e.ctrlKey || e.metaKey || e.altKey) return;
        if (e.key === 'Enter' && box && kind === 'keydown') e.target.click();
        if (e.key !== ' ') return;
        e.preventDefault();
        e.stopPropagation();
        if (kind === 'keydown' && !e.repeat) play(!playing);
      }, true);
    window.addEventListener('resize', fit);
    window.addEventListener('hashchange', () => apply(hash_options()));
    function apply(o) {
      for (const box_name of ['wire', 'heat', 'soft', 'regions', 'follow'])
        if (box_name in o && !$(box_name).parentElement.hidden) {
          $(box_name).checked = o[box_name] > 0;
          $(box_name).dispatchEvent(new Event('change'));
        }
      if (o.frame >= 0) { play(false); go(Math.round(o.frame / about.every)); }
    }

    for (const [id, colors] of [['legend', HEAT], ['legend-soft', SOFT]]) {
      const stops = colors.map(c => 'rgb(' + c.join(',') + ')').join(',');
      $(id).querySelector('i').style.background = 'linear-gradient(90deg,' + stops + ')';
    }
    const end = about.heat_m, wide = square >= 0.1 ? Number(square.toPrecision(1)) + ' m' : length(square);
    $('heat-end').textContent = end > 0 ? length(end) + ' (' + share(end) + ')' : 'nothing moved';
    $('squares').textContent = 'A square of the ground is ' + wide + ' wide.';
    fit();
    // Where it travels far it would be small in a picture of the whole way.
    const way = where.box.getSize(new THREE.Vector3());
    $('follow').checked = Math.max(way.x, way.z) > 2 * where.size;
    look();
    surface.show(null);
    wire.group.visible = $('wire').checked;
    const still = window.matchMedia && matchMedia('(prefers-reduced-motion: reduce)').matches;
    play(!still && !('frame' in options));
    apply(options);
    requestAnimationFrame(t => { before = t; draw(t); });
  }

  function start() {
    try {
      const canvas = document.createElement('canvas');
      if (!window.WebGLRenderingContext || !(canvas.getContext('webgl') || canvas.getContext('experimental-webgl')))
        throw new Error('WebGL is missing or switched off');
      const motion = supple_decode.motion(about, text);
      decode(motion, frames => {
        try { show(motion, frames); } catch (e) { fail(e); }
      });
    } catch (e) { fail(e); }
  }
  function fail(e) {
    give_up('This browser cannot show the motion in 3D (' + e.message + '), so here is a picture of it. ' +
            'Another browser, or hardware acceleration switched on, shows it moving.');
  }
  start();
})();
