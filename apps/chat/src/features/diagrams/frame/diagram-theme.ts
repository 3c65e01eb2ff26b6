/** Returns the Mermaid theme variables for light or dark mode, with the colors of packages/ui/src/theme/theme.css. */
export function diagramTheme(isDark: boolean): Readonly<Record<string, unknown>> {
  const [ground, raised, soft, line, ink, inkSoft, accent] = isDark
    ? ['#1a1c1f', '#25282c', '#1b2a42', '#71767f', '#ececee', '#a3a7ae', '#7db0ff']
    : ['#ffffff', '#f2f2f0', '#e6eefb', '#8a8a84', '#1b1c1e', '#5b5d62', '#1f5fbf'];
  return {
    darkMode: isDark,
    fontFamily: 'system-ui, "Noto Sans", "Noto Sans Arabic", sans-serif',
    fontSize: '14px',
    background: ground,
    primaryColor: soft,
    primaryTextColor: ink,
    primaryBorderColor: accent,
    secondaryColor: raised,
    secondaryTextColor: ink,
    secondaryBorderColor: line,
    tertiaryColor: ground,
    tertiaryTextColor: ink,
    tertiaryBorderColor: line,
    lineColor: inkSoft,
    textColor: ink,
    noteBkgColor: raised,
    noteTextColor: ink,
    noteBorderColor: line,
    edgeLabelBackground: ground,
    dropShadow: 'none',
    useGradient: false,
  };
}
