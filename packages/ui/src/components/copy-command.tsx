import { Terminal } from 'lucide-react';
import { type CallSecret, type HttpCall, toCurl } from '../commands/to-curl.ts';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { Button } from './button.tsx';
import { Menu } from './menu.tsx';
import { useTell } from './toasts.tsx';

export interface CopyCommandProps {
  /** The CLI command, e.g. `npx berth ls`; undefined where the CLI has none. */
  readonly cli?: string | undefined;
  readonly http: HttpCall;
  readonly secret?: CallSecret | undefined;
}

/** A menu that copies the CLI command or the curl call equivalent to an action of the page. */
export function CopyCommand({ cli, http, secret }: CopyCommandProps) {
  const { t } = useTexts<PartMessages>();
  const tell = useTell();
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    tell(t('parts.copied'));
  };
  const trigger = (
    <Button look="quiet" aria-label={t('parts.copyCommand')}>
      <Terminal aria-hidden className="size-4" />
      <span className="max-sm:sr-only">{t('parts.copyCommand')}</span>
    </Button>
  );
  return (
    <Menu
      trigger={trigger}
      items={[
        ...(cli === undefined ? [] : [{ label: 'berth', onChoose: () => void copy(cli) }]),
        { label: 'curl', onChoose: () => void copy(toCurl(http, location.origin, secret)) },
      ]}
    />
  );
}
