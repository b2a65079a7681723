/** A colour of the style sheets as a canvas takes it, for the theme that is on. */
export function colourOf(property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
