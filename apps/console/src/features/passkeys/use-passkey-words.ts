import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { passkeyProblem } from './passkey-problem.ts';

/** Returns a function that replaces the browser's passkey errors with advice. Other errors stay as they are. */
export function usePasskeyWords(): (error: unknown) => unknown {
  const { t } = useConsoleTexts();
  return (error) => {
    const problem = passkeyProblem(error);
    return problem === undefined ? error : t(`passkeys.problem.${problem}`);
  };
}
