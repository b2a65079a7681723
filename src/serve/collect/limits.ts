/**
 * A body, inflated. Clients of the field stop at 512,000 bytes, some of them before they add the
 * envelope.
 */
export const maxBodyBytes = 520 * 1024;

/** A body on the wire: bytes that do not compress grow by a little. */
export const maxWireBytes = maxBodyBytes + 1024;

/** All bodies that are being received. Above it the oldest are answered 503 and come again. */
export const maxReceivingBytes = 128 * 1024 * 1024;

/** What putting the context of a batch under each of its events may add to a request. */
export const maxMergedBytes = 8 * 1024 * 1024;

/** What came with up to 32,768 bytes may be stored with more: the context of its batch, times. */
export const maxStoredBytes = 128 * 1024;

/** More than that are not all events: the smallest has 28 bytes, and a comma. */
export const maxCalls = 20_000;
