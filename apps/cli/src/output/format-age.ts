const STEPS = [
  [60_000, 1_000, 's'],
  [3_600_000, 60_000, 'm'],
  [86_400_000, 3_600_000, 'h'],
  [Number.POSITIVE_INFINITY, 86_400_000, 'd'],
] as const;

/** Formats how long ago an RFC 3339 time was, in one unit: `40s ago`, `3h ago`; `never` for none. An invalid time is returned unchanged. */
export function formatAge(time: string | null, nowMs: number): string {
  if (time === null) return 'never';
  const ageMs = nowMs - Date.parse(time);
  if (Number.isNaN(ageMs)) return time;
  for (const [limit, unit, name] of STEPS) {
    if (ageMs < limit) return `${Math.max(0, Math.floor(ageMs / unit))}${name} ago`;
  }
  return time;
}
