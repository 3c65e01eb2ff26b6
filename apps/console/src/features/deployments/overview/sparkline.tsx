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
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`h-6 w-24 min-w-0 shrink ${color}`}
    >
      <polyline
        // A point between gaps is a line without length, which the round caps make a dot.
        points={[...points, ...points.slice(-1)].join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
