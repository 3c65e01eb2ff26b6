import { REQUIREMENTS, type RequirementId } from './requirements.ts';

/**
 * Says, as the first statement of a test, which sentences of the contract it holds the platform to.
 * `coverage.test.ts` reads these calls from the sources, so the ids are literals.
 * @throws Error for an id that is not in the list.
 */
export function verifies(...ids: readonly RequirementId[]): void {
  for (const id of ids) {
    if (!(id in REQUIREMENTS)) throw new Error(`"${id}" is not in tests/conformance/requirements.ts`);
  }
}
