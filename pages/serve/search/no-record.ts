/**
 * Why there is no outcome of an event at a destination of its source.
 *
 * @param isOff whether the destination is off now
 * @param receivedAt of the event
 * @param historyFrom from when on each outcome is in the history; null while it is empty
 */
export function noRecordText(
  isOff: boolean,
  receivedAt: string,
  historyFrom: string | null,
  timestamp: (iso: string) => string,
): string {
  const isCovered = historyFrom !== null && receivedAt >= historyFrom;
  if (isOff && isCovered) return 'Not sent: the destination was off.';
  const off = isOff ? 'the destination was off, ' : '';
  const before = historyFrom === null ? 'long ago' : `before ${timestamp(historyFrom)}`;
  const completed = isCovered ? '' : `, or the delivery was completed ${before}`;
  return `No record for this destination: ${off}its source did not have it yet${completed}.`;
}
