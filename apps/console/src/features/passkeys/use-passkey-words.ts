import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { passkeyProblem } from './passkey-problem.ts';

/** What browsers say of passkeys is for programmers: gives what to do instead; other errors stay as they are. */
export function usePasskeyWords(): (error: unknown) => unknown {
  const { t } = useConsoleTexts();
  return (error) => {
    const problem = passkeyProblem(error);
    return problem === undefined ? error : t(`passkeys.problem.${problem}`);
  };
}
