import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { usePage } from '../view/page.js';

interface PlotProps {
  /** Called again when the colors of the page change. */
  readonly options: () => Partial<uPlot.Options> & Pick<uPlot.Options, 'series'>;
  readonly data: uPlot.AlignedData;
  /** One sentence that says what the chart shows. */
  readonly label: string;
  /** Changes when the options do. */
  readonly version: string;
  /** The column that is pointed at. */
  readonly onPoint: (column: number | undefined) => void;
  /** In pixels. */
  readonly height?: number;
}

/** A uPlot chart as wide as its container. */
export function Plot({ options, data, label, version, onPoint, height = 104 }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const { value: theme } = usePage().theme;
  const isDark = useScheme();
  useEffect(() => {
    const element = place.current!;
    const sizeNow = (): { width: number; height: number } => ({
      width: Math.max(element.clientWidth, 1),
      height,
    });
    const made = new uPlot({ ...quiet(onPoint), ...options(), ...sizeNow() }, data, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize(sizeNow()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [theme, isDark, version]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <div class="plot" ref={place} role="img" aria-label={label} style={{ height: `${height}px` }} />
  );
}

/** No legend of its own, nothing to drag: only a line at the column that is pointed at. */
function quiet(onPoint: PlotProps['onPoint']): Partial<uPlot.Options> {
  return {
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    // Without data there is no axis below, and its room keeps the lowest value from being cut off.
    padding: [8, 8, (_, __, [, , hasAxisBelow]) => (hasAxisBelow ? 0 : 22), 0],
  };
}

const query = '(prefers-color-scheme: dark)';

/** Whether the reader's system is dark; a canvas has to be drawn again when it changes. */
function useScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = (): void => setDark(list.matches);
    list.addEventListener('change', change);
    return () => list.removeEventListener('change', change);
  }, []);
  return isDark;
}
