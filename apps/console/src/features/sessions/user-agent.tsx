import { describeUserAgent } from '@berth/kit';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Readable name of a client, with its `User-Agent` header as the title. */
export function UserAgent({ text }: { readonly text: string | null }) {
  const { t } = useConsoleTexts();
  if (text === null || text === '') return t('sessions.unknown');
  const { program = text, system } = describeUserAgent(text) ?? {};
  return <bdi title={text}>{system === undefined ? program : t('sessions.programOn', { program, system })}</bdi>;
}
