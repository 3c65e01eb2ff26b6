interface SparklineProps {
  readonly values: readonly (number | null)[];
  /** Class of the stroke color. */
  readonly color: string;
}

const WIDTH = 120;
const HEIGHT = 28;

/** A small line without axes, from left to right. Gaps are left out. Hidden from screen readers, which read the figure. */
export function Sparkline({ values, color }: SparklineProps) {
  const max = Math.max(...values.map((value) => value ?? 0), 0) || 1;
  const x = (at: number) => (values.length < 2 ? 0 : (at / (values.length - 1)) * WIDTH);
  const points = values.flatMap((value, at) =>
    value === null ? [] : [`${x(at).toFixed(1)},${(HEIGHT - 1 - (value / max) * (HEIGHT - 3)).toFixed(1)}`],
  );
  return (
    <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={`h-7 w-full ${color}`}>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
