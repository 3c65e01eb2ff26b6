import { Dialog, Switch } from '@berth/ui';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { IS_MAC, PAGE_KEYS, type PageKey, writeKeys } from './page-keys.ts';

export interface KeysDialogProps {
  readonly arePlainKeysOn: boolean;
  onPlainKeys(areOn: boolean): void;
  onClose(): void;
}

/** A dialog that lists the keyboard shortcuts and turns single-key shortcuts on or off. */
export function KeysDialog({ arePlainKeysOn, onPlainKeys, onClose }: KeysDialogProps) {
  const { t } = useChatTexts();
  const rows: readonly (readonly [keys: string, text: string])[] = [
    ...(Object.entries(PAGE_KEYS) as [PageKey, string][]).map(
      ([name, keys]) => [writeKeys(keys, IS_MAC), t(`keys.${name}`)] as const,
    ),
    ['Enter', t('keys.send')],
    ['Shift Enter', t('keys.line')],
    ['Escape', t('keys.escape')],
    ['↑ ↓ Home End', t('keys.lists')],
  ];
  return (
    <Dialog title={t('keys.title')} isOpen onClose={onClose}>
      <dl className="mb-4 grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2">
        {rows.map(([keys, text]) => (
          <div key={text} className="contents">
            <dt>{text}</dt>
            <dd dir="ltr" className="flex gap-1">
              {keys.split(' ').map((one) => (
                <kbd
                  key={one}
                  className="min-w-6 rounded border border-line bg-sunken px-1.5 text-center font-mono text-xs leading-5"
                >
                  {one}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch label={t('keys.plain')} isOn={arePlainKeysOn} onChange={onPlainKeys} />
    </Dialog>
  );
}
