/** The request line and all headers. */
export const maxHeaderBytes = 16 * 1024;

/**
 * A body, inflated. Common clients stop at 512,000 bytes, some before they add the envelope.
 */
export const maxBodyBytes = 520 * 1024;

/** A body on the wire: incompressible data grows a little when compressed. */
export const maxWireBytes = maxBodyBytes + 1024;

/**
 * Bytes of bodies that are processed in one turn of the event loop, about 10 ms of work. More would delay
 * deliveries, and the flushes that free the memory of what was stored.
 */
export const bytesPerTurn = 256 * 1024;

/** All bodies that are being received or wait for their turn. Above this the oldest get 503, and clients resend them. */
export const maxReceivingBytes = 128 * 1024 * 1024;

/** What merging the context of a batch into each of its events may add to a request. */
export const maxMergedBytes = 8 * 1024 * 1024;

/** An event of up to 32,768 bytes may be larger when stored: batch context and times are added. */
export const maxStoredBytes = 128 * 1024;

/** Of one batch, as in the API of Segment; a body could hold 18,000 tiny ones. */
export const maxCalls = 2_500;

/** What an event costs besides its own bytes, as bytes of `bytesPerTurn`. */
export const bytesPerCall = 400;
