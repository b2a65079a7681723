/** A copy of JSON with another value at this path; objects that are missing are made. */
export function withAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item: unknown, i) =>
      String(i) === name ? withAt(item, rest, replacement) : item,
    );
  }
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...object, [name]: withAt(object[name], rest, replacement) };
}
