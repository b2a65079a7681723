/** What a run needs and this worker does not have: one sentence, without any value. */
export class Refusal extends Error {}
