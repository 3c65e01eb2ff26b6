/** How long a new key lives. */
export const KEY_LIVES = ['30', '90', '365', 'never'] as const;

export type KeyLife = (typeof KEY_LIVES)[number];

/** The end of a key that is made now; undefined for one without an end. */
export function keyExpiry(life: KeyLife, nowMs: number): string | undefined {
  return life === 'never' ? undefined : new Date(nowMs + Number(life) * 86_400_000).toISOString();
}
