/** A handler for undici's dispatch that only waits for the end of a response. */
export function responseHandler(onEnd, onError) {
  return {
    onRequestStart: ignore,
    onResponseStart(_controller, status) {
      if (status !== 200) throw new Error(`status ${status}`);
    },
    onResponseData: ignore,
    onResponseEnd: onEnd,
    onResponseError: (_controller, error) => onError(error),
  };
}

function ignore() {
  return undefined;
}
