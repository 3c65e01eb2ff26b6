import { useSyncExternalStore } from 'react';

/** Returns whether the dark theme is active, by the person's choice or the device. For content that CSS doesn't reach. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

const query = () => matchMedia('(prefers-color-scheme: dark)');

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? query().matches : theme === 'dark';
}

function subscribe(onChange: () => void): () => void {
  const device = query();
  const choice = new MutationObserver(onChange);
  choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  device.addEventListener('change', onChange);
  return () => {
    choice.disconnect();
    device.removeEventListener('change', onChange);
  };
}
