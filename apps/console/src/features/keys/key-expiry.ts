/** Lifetimes of a new key, in days. */
export const KEY_LIVES = ['30', '90', '365', 'never'] as const;

/** Lifetime of a new key in days, or `never`. */
export type KeyLife = (typeof KEY_LIVES)[number];

/** Returns the expiry of a key created now in RFC 3339; undefined for `never`. */
export function keyExpiry(life: KeyLife, nowMs: number): string | undefined {
  return life === 'never' ? undefined : new Date(nowMs + Number(life) * 86_400_000).toISOString();
}
