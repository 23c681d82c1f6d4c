/** `skills/house-style/SKILL.md` of a new workspace. */
export const SKILL_MD = `---
name: house-style
description: How answers to customers sound.
---

# House style

- Address people by the name they sign with.
- Three sentences at most, plain words, no promises that nobody has confirmed.
- End with "Kind regards".
`;
