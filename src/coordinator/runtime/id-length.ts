/**
 * Characters of the id of a group, member or instance, or of a transactional id. The runtime hashes no more than 16,383 characters: maps of longer ones are lists, so that 5,000
 * groups with such names took every JoinGroup 12 ms. Keys of timers have two of them.
 */
export const ID_LENGTH_MAX = 7500;
