// Live soft tissue for the web: what this package offers. See README.md, and docs/reference/live-pack.md for the data.
export {BonePath} from './kinematics.js';
export {gainsOf} from './oscillators.js';
export {LivePart} from './part.js';
export {attach, nodesOf} from './attach.js';
