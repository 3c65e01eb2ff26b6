import type { SignInProblem } from '@berth/contract';

/** A failed sign-in with a provider, with the code that the console's problem page shows. */
export class SignInRefusal extends Error {
  readonly problem: SignInProblem;
  constructor(problem: SignInProblem, cause?: unknown) {
    super(`sign-in with a provider: ${problem}`, { cause });
    this.problem = problem;
  }
}
