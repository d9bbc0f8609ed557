/** Who sends a request: a type (`User` unless an authenticator says otherwise) and a name. */
export interface Principal {
  readonly type: string;
  readonly name: string;
}

/** Whoever comes over a listener without authentication. */
export const anonymous: Principal = { type: 'User', name: 'ANONYMOUS' };

export const principalText = (principal: Principal): string => `${principal.type}:${principal.name}`;
