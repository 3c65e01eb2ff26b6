/** Formats a duration: `0.4s`, `12s`, `3m 05s`, `2h 10m`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  if (seconds < 59.5) return `${Math.round(seconds)}s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return minutes < 60
    ? `${minutes}m ${two(Math.round(seconds) % 60)}s`
    : `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}
