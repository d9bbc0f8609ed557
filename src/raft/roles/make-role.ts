import { unreachable } from '../../base/assert.ts';
import { Candidate } from './candidate.ts';
import { Follower } from './follower.ts';
import { Leader } from './leader.ts';
import { Resigned } from './resigned.ts';
import type { Role, RoleContext, Transition } from './role.ts';
import { Unattached } from './unattached.ts';

export function makeRole(context: RoleContext, transition: Transition): Role {
  switch (transition.to) {
    case 'unattached':
      return new Unattached(context, transition.election);
    case 'follower':
      return new Follower(context, transition.epoch, transition.leaderId);
    case 'candidate':
      return new Candidate(context, transition.epoch);
    case 'leader':
      return new Leader(context, transition.epoch, transition.grantingVoters);
    case 'resigned':
      return new Resigned(context, transition.epoch);
    default:
      return unreachable(transition);
  }
}
