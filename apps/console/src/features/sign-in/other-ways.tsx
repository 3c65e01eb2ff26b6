import { buttonClass } from '@berth/ui';
import { LogIn } from 'lucide-react';
import type { MouseEvent } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { canUsePasskeys } from '../passkeys/passkey-browser.ts';
import { PasskeyButton } from '../passkeys/passkey-button.tsx';
import { OrLine } from './or-line.tsx';
import { signInAddress } from './sign-in-address.ts';
import { useSignInWays } from './use-sign-in-ways.ts';

/** Ways to sign in besides the password: passkeys and identity providers. Renders nothing if there are none. */
export function OtherWays(props: ProviderLinksProps) {
  const { data = [] } = useSignInWays();
  const hasPasskeys = data.some(({ kind }) => kind === 'passkey') && canUsePasskeys(window);
  if (!hasPasskeys && !data.some(({ kind }) => kind === 'oidc')) return null;
  return (
    <>
      <OrLine />
      <div className="flex flex-col gap-2">
        {hasPasskeys && <PasskeyButton />}
        <ProviderLinks {...props} />
      </div>
    </>
  );
}

/** Props of {@link ProviderLinks}. */
interface ProviderLinksProps {
  /** True to open the provider's page in a window of its own, so that the current page keeps its state. */
  readonly isAside?: boolean;
}

const WINDOW = 'popup,width=520,height=720';

/** One sign-in link per identity provider. Renders nothing if there are none. */
function ProviderLinks({ isAside = false }: ProviderLinksProps) {
  const { t } = useConsoleTexts();
  const { data = [] } = useSignInWays();
  const providers = data.filter(({ kind }) => kind === 'oidc');
  if (providers.length === 0) return null;
  const open = (event: MouseEvent<HTMLAnchorElement>, provider: string) => {
    if (isAside) {
      // If the browser blocks the window, the link opens a tab.
      if (window.open(signInAddress(provider, '/signed-in'), 'berth-sign-in', WINDOW)) event.preventDefault();
      return;
    }
    // The address may have changed since the link was rendered.
    const { pathname, search, hash } = location;
    event.currentTarget.href = signInAddress(provider, pathname + search + hash);
  };
  return (
    <div className="flex flex-col gap-2">
      {providers.map(({ id, name }) => (
        <a
          key={id}
          href={signInAddress(id, isAside ? '/signed-in' : '/')}
          target={isAside ? '_blank' : undefined}
          rel={isAside ? 'noopener' : undefined}
          onClick={(event) => open(event, id)}
          className={`${buttonClass()} min-w-0`}
        >
          <LogIn aria-hidden className="size-4 shrink-0 rtl:-scale-x-100" />
          <span className="truncate">{t('ways.with', { name })}</span>
        </a>
      ))}
    </div>
  );
}
