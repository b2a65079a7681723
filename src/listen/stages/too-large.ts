import { tooLarge } from '../planned-response.js';
import { answerWith, type Stage } from './stage.js';

/** Answers 413 to a body that was too large to be read. */
export const tooLargeStage: Stage = ({ incoming }, next) =>
  incoming.isTooLarge ? answerWith(tooLarge) : next();
