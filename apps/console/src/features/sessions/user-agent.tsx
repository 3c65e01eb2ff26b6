import { describeUserAgent } from '@berth/kit';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** What signed in, in words that people know; what it said of itself is its title. */
export function UserAgent({ text }: { readonly text: string | null }) {
  const { t } = useConsoleTexts();
  if (text === null || text === '') return t('sessions.unknown');
  const { program = text, system } = describeUserAgent(text) ?? {};
  return <bdi title={text}>{system === undefined ? program : t('sessions.programOn', { program, system })}</bdi>;
}
