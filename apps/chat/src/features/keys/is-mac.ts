/** True on Apple platforms, whose keyboards have ⌘ in place of Ctrl. */
export const IS_MAC = navigator.platform.startsWith('Mac') || /iPhone|iPad/.test(navigator.platform);
