// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ITaskProposals
/// @notice A round's tasks: on the chain by the end of the round before, and immutable from then on.
/// @dev The tasks themselves are in the event; storage holds one word a peer and round, in a ring.
interface ITaskProposals {
    /// @notice Emitted when a proposer commits to the secret of a round, two rounds ahead.
    /// @param round The round that the secret is for.
    /// @param peerKey The proposer.
    /// @param secretHash `keccak256(abi.encode(secret))`; the last one counts.
    event SecretCommitted(uint64 indexed round, bytes32 indexed peerKey, bytes32 secretHash);

    /// @notice Emitted when a proposer submits its tasks for the next round.
    /// @param round The round that the tasks are for.
    /// @param peerKey The proposer.
    /// @param secret Determines its sampling seed, together with the beacon of round - 2 and the peer's key.
    /// @param count Number of tasks.
    /// @param tasks The tasks, in the encoding of the environment. Of equal tasks only the round's first counts.
    event TasksProposed(uint64 indexed round, bytes32 indexed peerKey, bytes32 secret, uint16 count, bytes tasks);

    /// @notice Thrown when the sender does not speak for the peer.
    /// @param peerKey The peer.
    /// @param account The sender.
    error RolloutCommitments_NotPeerAccount(bytes32 peerKey, address account);

    /// @notice Thrown when a key commits for a round in which it does not count yet.
    /// @param round The round given.
    /// @param peerKey The peer.
    /// @param fromRound First round that the key counts in.
    error RolloutCommitments_KeyTooNew(uint64 round, bytes32 peerKey, uint64 fromRound);

    /// @notice Thrown when a secret, tasks or a policy are for a round that has begun or is too far ahead.
    /// @param round The round given.
    /// @param firstOpenRound First round that takes them now.
    /// @param lastOpenRound Last round that takes them now.
    error RolloutCommitments_RoundNotOpen(uint64 round, uint64 firstOpenRound, uint64 lastOpenRound);

    /// @notice Thrown when a proposal has no tasks, or more tasks or bytes than allowed.
    /// @param count Tasks given.
    /// @param size Bytes given.
    error RolloutCommitments_OverLimit(uint16 count, uint256 size);

    /// @notice Thrown when a peer without a sufficient stake commits to a secret for a round after bootstrap.
    /// @param round The round.
    /// @param peerKey The peer.
    error RolloutCommitments_NoStake(uint64 round, bytes32 peerKey);

    /// @notice Thrown when the secret does not match a commitment made two rounds ahead.
    /// @param round The round.
    /// @param peerKey The peer.
    error RolloutCommitments_NotTheSecret(uint64 round, bytes32 peerKey);

    /// @notice Thrown when a peer proposes twice for a round: proposals cannot be changed.
    /// @param round The round.
    /// @param peerKey The peer.
    error RolloutCommitments_AlreadyProposed(uint64 round, bytes32 peerKey);

    /// @notice Commits to the secret of the round after the next: how a proposer starts, before its first `propose`.
    /// From then on it owes that round's tasks: it may propose them, and is blamed if it does not, whatever becomes of
    /// its stake. See `IStakes.mayPropose` for who may.
    /// @param round The second round that has not begun.
    /// @param peerKey The proposer; the sender must speak for it.
    /// @param secretHash `keccak256(abi.encode(secret))`.
    function commitSecret(uint64 round, bytes32 peerKey, bytes32 secretHash) external;

    /// @notice Submits the tasks of the next round, once, and commits to the secret of the round after it.
    /// @dev The sender pays for each byte; a task that does not parse is never drawn.
    /// @param round The first round that has not begun.
    /// @param peerKey The proposer; the sender must speak for it.
    /// @param secret The secret committed to in round - 2, before that round's beacon was known.
    /// @param count Number of tasks, 1 to `MAX_TASKS`.
    /// @param tasks The tasks, at most `MAX_TASK_BYTES`.
    /// @param nextSecretHash Hash of the secret of round + 1; 0 to stop proposing. Left out if the peer may not propose
    /// for that round.
    function propose(
        uint64 round,
        bytes32 peerKey,
        bytes32 secret,
        uint16 count,
        bytes calldata tasks,
        bytes32 nextSecretHash
    ) external;

    /// @notice A peer's proposal for a round; stored for eight rounds.
    /// @param round The round.
    /// @param peerKey The proposer.
    /// @return count Number of tasks; 0 where it proposed none.
    /// @return hash The lower 208 bits of keccak-256 of the tasks' bytes.
    function proposalOf(uint64 round, bytes32 peerKey) external view returns (uint16 count, uint208 hash);

    /// @notice Whether a peer committed to a secret for a round; stored for eight rounds.
    /// @param round The round.
    /// @param peerKey The proposer.
    /// @return committed Whether it did.
    /// @return hash The lower 224 bits of the secret's hash.
    function secretOf(uint64 round, bytes32 peerKey) external view returns (bool committed, uint224 hash);

    /// @notice The `taskHash` of leaves that answer a task: `keccak256(abi.encode(proposerKey, index))`.
    /// @dev With the leaf's round it names one task: a proposal cannot be changed.
    /// @param proposerKey The proposer.
    /// @param index The task's place in the proposal, from 0.
    /// @return hash The hash.
    function taskHashOf(bytes32 proposerKey, uint32 index) external pure returns (bytes32 hash);

    /// @notice Tasks of a proposal, at most.
    /// @return count Number of tasks.
    function MAX_TASKS() external view returns (uint16 count);

    /// @notice Bytes of a proposal's tasks, at most.
    /// @return size Bytes.
    function MAX_TASK_BYTES() external view returns (uint256 size);
}
