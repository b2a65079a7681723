/** What undici's dispatch needs, for a sender that cares for nothing but the end of an answer. */
export function answerHandler(onEnd, onError) {
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
