// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {ITaskProposals} from "./interfaces/ITaskProposals.sol";
import {TASK_RING, tagOf} from "./libraries/Ring.sol";

/// @title TaskProposals
/// @notice The part of `RolloutCommitments` that takes tasks.
abstract contract TaskProposals is ITaskProposals {
    /// @inheritdoc ITaskProposals
    uint16 public constant MAX_TASKS = 256;

    /// @inheritdoc ITaskProposals
    uint256 public constant MAX_TASK_BYTES = 16_384;

    IPeerRegistry internal immutable _registry;
    IRounds internal immutable _rounds;
    IStakes internal immutable _stakes;

    /// @dev One word: the round's tag in the upper 32 bits, 16 bits of count, the lower 208 bits of the tasks' hash.
    mapping(bytes32 peerKey => uint256[TASK_RING] words) internal _tasks;

    /// @dev One word: the round's tag in the upper 32 bits, the lower 224 bits of the secret's hash.
    mapping(bytes32 peerKey => uint256[TASK_RING] words) internal _secrets;

    /// @param registry Says who speaks for a peer.
    /// @param clock The clock.
    /// @param stakes_ Says who may commit to a secret.
    constructor(IPeerRegistry registry, IRounds clock, IStakes stakes_) {
        _registry = registry;
        _rounds = clock;
        _stakes = stakes_;
    }

    /// @inheritdoc ITaskProposals
    function commitSecret(uint64 round, bytes32 peerKey, bytes32 secretHash) external {
        _requireMember(round, peerKey);
        _requireOpen(round, 1);
        if (!_stakes.mayPropose(peerKey, round)) revert RolloutCommitments_NoStake(round, peerKey);
        _keepSecret(round, peerKey, secretHash);
    }

    /// @inheritdoc ITaskProposals
    function propose(
        uint64 round,
        bytes32 peerKey,
        bytes32 secret,
        uint16 count,
        bytes calldata tasks,
        bytes32 nextSecretHash
    ) external {
        _requireMember(round, peerKey);
        _requireOpen(round, 0);
        if (count == 0 || count > MAX_TASKS || tasks.length > MAX_TASK_BYTES) {
            revert RolloutCommitments_OverLimit(count, tasks.length);
        }
        uint256 place = round % TASK_RING;
        uint256 tag = tagOf(round) << 224;
        if (_secrets[peerKey][place] != (tag | uint224(uint256(keccak256(abi.encode(secret)))))) {
            revert RolloutCommitments_NotTheSecret(round, peerKey);
        }
        if (_tasks[peerKey][place] >> 224 == tag >> 224) revert RolloutCommitments_AlreadyProposed(round, peerKey);
        _tasks[peerKey][place] = tag | (uint256(count) << 208) | uint208(uint256(keccak256(tasks)));
        emit TasksProposed(round, peerKey, secret, count, tasks);
        // A proposal must not fail for a notice that was given after it was sent.
        if (nextSecretHash != 0 && _stakes.mayPropose(peerKey, round + 1)) {
            _keepSecret(round + 1, peerKey, nextSecretHash);
        }
    }

    /// @inheritdoc ITaskProposals
    function proposalOf(uint64 round, bytes32 peerKey) external view returns (uint16 count, uint208 hash) {
        uint256 word = _tasks[peerKey][round % TASK_RING];
        if (word >> 224 == tagOf(round)) return (uint16(word >> 208), uint208(word));
    }

    /// @inheritdoc ITaskProposals
    function secretOf(uint64 round, bytes32 peerKey) external view returns (bool committed, uint224 hash) {
        uint256 word = _secrets[peerKey][round % TASK_RING];
        if (word >> 224 == tagOf(round)) return (true, uint224(word));
    }

    /// @inheritdoc ITaskProposals
    function taskHashOf(bytes32 proposerKey, uint32 index) external pure returns (bytes32 hash) {
        return keccak256(abi.encode(proposerKey, index));
    }

    function _keepSecret(uint64 round, bytes32 peerKey, bytes32 secretHash) internal {
        _secrets[peerKey][round % TASK_RING] = (tagOf(round) << 224) | uint224(uint256(secretHash));
        emit SecretCommitted(round, peerKey, secretHash);
    }

    /// @dev Requires that the sender speaks for the peer, and that its key counts in the round.
    function _requireMember(uint64 round, bytes32 peerKey) internal view {
        (address account, uint64 fromRound) = _registry.membershipOf(peerKey);
        if (account != msg.sender) revert RolloutCommitments_NotPeerAccount(peerKey, msg.sender);
        if (round < fromRound) revert RolloutCommitments_KeyTooNew(round, peerKey, fromRound);
    }

    /// @dev The round must be the first that has not begun, or so many after it.
    function _requireOpen(uint64 round, uint64 later) internal view {
        uint64 open = _rounds.firstOpenRound() + later;
        if (round != open) revert RolloutCommitments_RoundNotOpen(round, open, open);
    }
}
