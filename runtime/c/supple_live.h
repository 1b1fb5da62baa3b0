/* Live jiggle: steps the modes of soft parts from the motion of their bones and gives morph-target weights.
 * One header, one source, C11 (or C++), nothing but libc and libm. All memory is one block of the caller; no call
 * allocates. Metres, seconds, kilograms, radians; quaternions x y z w. A part and its step are described in
 * docs/reference/live-pack.md. Do not compile the source with -ffast-math: bad poses are told by their NaNs.
 *
 * A world is stepped by one thread at a time; worlds share nothing, so use one a thread.
 *
 *   supple_live_config config = {0};
 *   config.parts = parts; config.part_count = 1; config.instance_count = 100;
 *   size_t size = supple_live_size(&config, message, sizeof message);
 *   supple_live_world* world = NULL;
 *   supple_live_init(malloc(size), size, &config, &world, message, sizeof message);
 *   each frame: supple_live_set_pose(world, i, position, rotation) for all i; supple_live_step(world, dt);
 *               weights = supple_live_weights(world, i);
 */
#ifndef SUPPLE_LIVE_H
#define SUPPLE_LIVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum supple_live_result {
  SUPPLE_LIVE_OK = 0,
  SUPPLE_LIVE_BAD_ARGUMENT = 1, /* a number out of its range, an index that does not exist */
  SUPPLE_LIVE_TOO_SMALL = 2,    /* the block given is too small */
  SUPPLE_LIVE_NO_SLOT = 3,      /* more different (part, frequency, half_life) than config.slots */
  SUPPLE_LIVE_BAD_FILE = 4      /* not a pack, truncated, or numbers that make no sense */
} supple_live_result;

/* One mode; fields as in the pack. */
typedef struct supple_live_mode {
  const char* name;     /* of its morph target; may be NULL */
  float frequency_hz;   /* undamped, above 0 */
  float decay;          /* [1/s] amplitudes fall by exp(-decay t) */
  float mass;           /* [kg] of a weight of 1; only for pokes */
  float reach;          /* [m] largest displacement at weight 1; not used by the step */
  float share;          /* of the response, 0..1; not used by the step */
  int correction;       /* not a mode of the body; not used by the step */
  float transfer[6];    /* forcing per acceleration: about x y z, along x y z (minus sign included) */
  float centrifugal[6]; /* forcing per product xx yy zz xy xz yz of the turning rate */
} supple_live_mode;

typedef struct supple_live_target {
  int32_t mesh, first; /* mode i is morph target first + i of this glTF mesh */
} supple_live_target;

typedef struct supple_live_dials {
  float frequency, amplitude, sag, half_life; /* ratios to what was measured; 1 leaves alone */
  int sustained;                              /* 0: amount kept for a jolt, 1: for a long push */
} supple_live_dials;

/* One soft part on one bone. A limit or a cut of 0 or below: none. */
typedef struct supple_live_part {
  const char* name;
  const char* bone;
  int32_t node;
  float rest_gravity[3];     /* [m/s^2] bone axes; what the drawn shape already hangs under */
  float size;                /* [m] */
  float cut_m, cut_rad;      /* a bone that leaves its course by more in one step was put elsewhere */
  float force_limit;         /* [m/s^2] */
  float angular_force_limit; /* [rad/s^2] */
  float weight_limit;
  float force_scale;       /* of inertial forces, before the dials; 0 counts as 1 */
  supple_live_dials dials; /* as the instances start */
  int mode_count;
  const supple_live_mode* modes; /* the most excited first */
  const float* coriolis;         /* [mode_count][mode_count][3], or NULL: left out */
  int target_count;
  const supple_live_target* targets;
} supple_live_part;

/* What may differ from instance to instance. Instances of one part with equal frequency and half_life share one slot of
 * coefficients; the other fields cost nothing. */
typedef struct supple_live_settings {
  supple_live_dials dials;
  float gravity[3]; /* world [m/s^2] */
  float force_scale;
  int use_gravity, use_centrifugal, use_coriolis; /* switches, 0 or 1 */
} supple_live_settings;

typedef struct supple_live_config {
  const supple_live_part* parts; /* copied by supple_live_init */
  int part_count;
  int instance_count;
  const int* instance_part; /* part of each instance; NULL: all are of part 0 */
  int slots;        /* room for different (part, frequency, half_life); 0: one a part. Largest use: one an instance */
  float gravity[3]; /* that all instances start with; all 0 and no_gravity 0: 0 -9.81 0 */
  int no_gravity;   /* 1: start with use_gravity off */
} supple_live_config;

typedef struct supple_live_world supple_live_world;

/* Bytes of the block for a world, any alignment; 0 when the config is wrong (message says why; message may be NULL). */
size_t supple_live_size(const supple_live_config* config, char* message, size_t message_size);
supple_live_result supple_live_init(void* block, size_t block_size, const supple_live_config* config,
                                    supple_live_world** world, char* message, size_t message_size);

/* The bone's pose: world position [m] and unit quaternion, scale removed. Kept until set again. A pose that is not
 * finite is ignored when stepped: weights stay, and the next good pose starts afresh. */
void supple_live_set_pose(supple_live_world* world, int instance, const float position[3], const float rotation[4]);
/* Many: of instances first .. first + count - 1, the arrays advancing by strides in bytes (0: closely packed). */
void supple_live_set_poses(supple_live_world* world, int first, int count, const float* positions,
                           size_t position_stride, const float* rotations, size_t rotation_stride);

/* Advances all instances by dt. dt of 0 (or under a microsecond): a pause, nothing changes. dt below 0, NaN or above
 * 0.25 s: all start afresh from their poses. */
void supple_live_step(supple_live_world* world, double dt);

/* mode_count weights of the instance, valid as long as the block; NULL for an instance that does not exist. */
const float* supple_live_weights(const supple_live_world* world, int instance);
int supple_live_mode_count(const supple_live_world* world, int instance);

/* The next step puts the instance at rest in its new pose. Negative: all instances. */
void supple_live_reset(supple_live_world* world, int instance);

/* Settings as an instance of the part starts. */
supple_live_settings supple_live_default_settings(const supple_live_world* world, int instance);
supple_live_settings supple_live_get_settings(const supple_live_world* world, int instance);
supple_live_result supple_live_set_settings(supple_live_world* world, int instance,
                                            const supple_live_settings* settings);
/* The same for all instances of a part. */
supple_live_result supple_live_set_part_settings(supple_live_world* world, int part,
                                                 const supple_live_settings* settings);

/* Only the first `count` modes move, the others hang still (level of detail). Negative: all. */
supple_live_result supple_live_set_active_modes(supple_live_world* world, int instance, int count);

/* Extra forcing per mode [1/s^2], held until set again; NULL: none. */
supple_live_result supple_live_set_forcing(supple_live_world* world, int instance, const float* forcing);
/* Adds a force [N] on one vertex to that forcing. displacement: 3 floats a mode, `stride` floats apart (0: 3), the
 * vertex's POSITION delta [m] in the axes of the force. */
supple_live_result supple_live_poke(supple_live_world* world, int instance, const float* displacement, size_t stride,
                                    const float force[3]);

/* ---- Packs: NAME.live -------------------------------------------------------------------------------------------
 * Little-endian; f32 are IEEE floats, str is u16 length, the bytes (UTF-8, no end mark), then zeros to a multiple of 4
 * of the whole. Everything starts at a multiple of 4.
 *
 *   char[8] "SUPPLIVE"   u32 version (1)   u32 parts   f32 unit   f32 gravity[3]
 *   then per part:
 *     str name   str bone   i32 node
 *     f32 rest_gravity[3]   f32 size   f32 cut_m   f32 cut_rad
 *     f32 force_limit   f32 angular_force_limit   f32 weight_limit   f32 force_scale
 *     f32 frequency   f32 amplitude   f32 sag   f32 half_life          (the dials)
 *     u32 flags (bit 0: motion is "sustained"; bit 1: coriolis follows; others 0)
 *     u32 targets   u32 modes
 *     targets x { i32 mesh   i32 first }
 *     modes x { str name   f32 frequency_hz   f32 decay   f32 mass   f32 reach   f32 share
 *               u32 flags (bit 0: correction; others 0)   f32 transfer[6]   f32 centrifugal[6] }
 *     with bit 1: f32 coriolis[modes][modes][3]
 *   and nothing after the last part.
 */
typedef struct supple_live_pack {
  float unit; /* metres a unit of the .glb */
  float gravity[3];
  int part_count;
  const supple_live_part* parts; /* in the block given to supple_live_read */
} supple_live_pack;

/* Checks the file's bytes whole and tells how many bytes supple_live_read needs. */
supple_live_result supple_live_read_size(const void* data, size_t data_size, size_t* block_size, char* message,
                                         size_t message_size);
supple_live_result supple_live_read(const void* data, size_t data_size, void* block, size_t block_size,
                                    supple_live_pack* pack, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
