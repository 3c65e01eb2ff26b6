const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Formats bytes: `512 B`, `1.4 MiB`, `100 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  let value = bytes;
  let unit = -1;
  do {
    value /= 1024;
    unit++;
  } while (value >= 1024 && unit < UNITS.length - 1);
  return `${value < 10 ? value.toFixed(1) : Math.floor(value)} ${UNITS[unit]}`;
}
