export { durationHint, durationMs } from '../duration.js';
