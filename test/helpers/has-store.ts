/** Whether the packages behind a shared store run on this version of Node.js. */
export function hasStore(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}
