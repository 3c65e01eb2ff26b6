export interface ProgressProps {
  readonly label: string;
  /** Progress from 0 to 1. */
  readonly value: number;
}

/** A progress bar. */
export function Progress({ label, value }: ProgressProps) {
  return (
    <progress
      aria-label={label}
      max={1}
      value={value}
      className="block h-1 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent-ground [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent-ground"
    />
  );
}
