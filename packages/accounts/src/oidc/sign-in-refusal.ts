import type { SignInProblem } from '@berth/contract';

/** A sign-in with a provider that came to nothing, in the browser's words and not in the API's. */
export class SignInRefusal extends Error {
  readonly problem: SignInProblem;
  constructor(problem: SignInProblem, cause?: unknown) {
    super(`sign-in with a provider: ${problem}`, { cause });
    this.problem = problem;
  }
}
