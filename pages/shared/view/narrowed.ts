/** Whether a filter lets less through than the one that lets everything through. */
export function differs<Filter extends object>(filter: Filter, none: Filter): boolean {
  return (Object.keys(none) as (keyof Filter)[]).some((key) => filter[key] !== none[key]);
}
