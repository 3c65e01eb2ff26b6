const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a size for display: `1.5 MiB`, `12 KiB`, `0 bytes`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit++;
  }
  const digits = unit > 0 && value < 10 && !Number.isInteger(value) ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
