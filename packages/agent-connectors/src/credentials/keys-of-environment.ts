import { joinKeys, parseKeys, type SealingKey } from './parse-keys.ts';

/**
 * `BERTH_AGENT_KEYS`, and the variables that rotations add: `BERTH_AGENT_KEYS_2`, `_3`… Rotations add new variables
 * because the existing ones can't be read back.
 */
const NAME = /^BERTH_AGENT_KEYS(?:_([1-9]\d{0,5}))?$/;

/**
 * Returns the keys in the environment, those of the highest number first. Undefined when there are none.
 * @throws `invalid` naming the variable.
 */
export function keysOfEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): readonly SealingKey[] | undefined {
  const rings = Object.entries(environment)
    .flatMap(([name, text]) => {
      const match = NAME.exec(name);
      return match && text ? [{ name, text, number: Number(match[1] ?? 1) }] : [];
    })
    .sort((a, b) => b.number - a.number);
  if (rings.length === 0) return undefined;
  return joinKeys(
    rings.map(({ name, text }) => parseKeys(text, name)),
    'BERTH_AGENT_KEYS',
  );
}
