import type { Principal } from '../security/principal.ts';

/** What is known of a request besides its body. One object a request, made by the request pipeline. */
export interface RequestContext {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly clientId: string | null;
  /** The name of the listener, which decides which addresses an answer shows. */
  readonly listenerName: string;
  readonly principal: Principal;
  /** The peer's address, without its port. */
  readonly clientHost: string;
  readonly connectionId: number;
  /** Whether the listener is the one between brokers. */
  readonly isPrivilegedListener: boolean;
  /** Calls back when the connection is gone, so that what waits for it can be dropped; gives the way to withdraw that. */
  onDisconnected?(callback: () => void): () => void;
  /** Calls back when the client will ask nothing more, though it may still take an answer: nothing should wait any longer. */
  onEnded?(callback: () => void): () => void;
}
