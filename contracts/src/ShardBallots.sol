// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Earnings} from "./Earnings.sol";
import {EvaluatorSeats} from "./EvaluatorSeats.sol";
import {Rulings} from "./Rulings.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRewardVotes} from "./interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {Ballots} from "./libraries/Ballots.sol";
import {CommitteeWords} from "./libraries/CommitteeWords.sol";
import {SHARD_PEERS, slotOf, tagOf} from "./libraries/Ring.sol";
import {SEATS, Tally} from "./libraries/Tally.sol";

/// @title ShardBallots
/// @notice The part of `RewardVotes` that takes the commitments and reveals of a shard's committee.
abstract contract ShardBallots is IRewardVotes, Rulings {
    using CommitteeWords for uint256;

    /// @dev A committee's work on one shard of a round, until the ring overwrites it.
    struct Shard {
        uint256 committee; // see `CommitteeWords`
        // A word per position: the round's tag in the upper 32 bits, 1 bit for revealed, the lower 223 bits of the
        // commitment bound to its evaluator.
        uint256[SEATS] ballots;
        uint256[2][SEATS] scores; // see `Tally`; valid if the ballot is revealed
    }

    IRolloutCommitments internal immutable _commitments;

    mapping(uint256 slot => Shard shard) internal _shards;

    /// @param admin Holds every role at first.
    /// @param registry Says who speaks for a peer.
    /// @param clock The clock.
    /// @param commitments The commitments that are voted on.
    /// @param stakes_ Holds the stakes of evaluators.
    constructor(
        address admin,
        IPeerRegistry registry,
        IRounds clock,
        IRolloutCommitments commitments,
        IStakes stakes_
    ) EvaluatorSeats(admin, registry, clock, stakes_) Earnings(clock) {
        _commitments = commitments;
    }

    /// @inheritdoc IRewardVotes
    function commitVotes(
        uint64 round,
        uint32 shard,
        uint8 position,
        bytes32 evaluatorKey,
        bytes32 commitment
    ) external {
        _requireRound(round, 1);
        (address account, uint64 fromRound) = _registry.membershipOf(evaluatorKey);
        if (account != msg.sender) revert RewardVotes_NotPeerAccount(evaluatorKey, msg.sender);
        if (round < fromRound) revert RewardVotes_KeyTooNew(round, evaluatorKey, fromRound);
        Shard storage votes = _shards[slotOf(round, shard)];
        uint256 committee = votes.committee;
        // A shard that does not exist would count towards the quorums.
        bool isThere = committee.isOf(round) || _shardSize(round, shard) != 0;
        if (!committee.isOf(round)) committee = _openCommittee(votes, round, shard);
        uint32 number = _evaluators[evaluatorKey].number;
        if (!isThere || number == 0 || position >= SEATS || committee.numberAt(position) != number) {
            revert RewardVotes_NotOnCommittee(round, shard, position, evaluatorKey);
        }
        uint256 tag = tagOf(round) << 224;
        if ((votes.ballots[position] >> 224) << 224 == tag) revert RewardVotes_AlreadyCommitted(round, shard, position);
        votes.ballots[position] = tag | Ballots.bound(commitment, evaluatorKey);
        emit VotesCommitted(round, evaluatorKey, shard, commitment);
    }

    /// @inheritdoc IRewardVotes
    function revealVotes(Ballot calldata ballot, bytes32 salt) external {
        _requireRound(ballot.round, 2);
        uint256 count = _shardSize(ballot.round, ballot.shard);
        if (ballot.scoresMilli.length != count || ballot.componentRoots.length != count) {
            revert RewardVotes_LengthMismatch(count, ballot.scoresMilli.length, ballot.componentRoots.length);
        }
        _markRevealed(ballot, keccak256(abi.encode(block.chainid, address(this), ballot, salt)));
        _countReveal(ballot.round, ballot.shard);
        _storeScores(ballot);
        emit VotesRevealed(
            ballot.round,
            ballot.evaluatorKey,
            ballot.shard,
            ballot.scoresMilli,
            ballot.componentRoots,
            ballot.contentId
        );
    }

    /// @inheritdoc IRewardVotes
    function scoresWord(uint64 round, uint32 shard, uint8 position, bool isLast) external view returns (uint256 word) {
        _requirePosition(position);
        return _shards[slotOf(round, shard)].scores[position][isLast ? 1 : 0];
    }

    /// @inheritdoc IRewardVotes
    function committeeWord(uint64 round, uint32 shard) external view returns (uint256 word) {
        word = _shards[slotOf(round, shard)].committee;
        if (!word.isOf(round)) word = 0;
    }

    /// @inheritdoc IRewardVotes
    function peerRegistry() external view returns (IPeerRegistry registry) {
        return _registry;
    }

    /// @inheritdoc IRewardVotes
    function rounds() external view returns (IRounds clock) {
        return _rounds;
    }

    /// @inheritdoc IRewardVotes
    function rolloutCommitments() external view returns (IRolloutCommitments commitments) {
        return _commitments;
    }

    /// @inheritdoc IRewardVotes
    function ballotWord(uint64 round, uint32 shard, uint8 position) public view returns (uint256 word) {
        _requirePosition(position);
        return _shards[slotOf(round, shard)].ballots[position];
    }

    /// @dev Draws the committee, and stores it for later votes and for settlement.
    function _openCommittee(Shard storage votes, uint64 round, uint32 shard) internal returns (uint256 committee) {
        // The seeds of the round's own work came from the beacon before.
        if (round > 0 && _beaconOf(round - 1) == 0) revert RewardVotes_RoundVoid(round);
        committee = CommitteeWords.pack(round, _drawCommittee(round, shard, _rounds.drawBeacon(round)));
        votes.committee = committee;
    }

    /// @dev Requires that the ballot is committed and not revealed.
    function _markRevealed(Ballot calldata ballot, bytes32 commitment) internal {
        (uint64 round, uint8 position, bytes32 evaluatorKey) = (ballot.round, ballot.position, ballot.evaluatorKey);
        uint256[SEATS] storage ballots = _shards[slotOf(round, ballot.shard)].ballots;
        uint256 word = position < SEATS ? ballots[position] : 0;
        uint256 expected = (tagOf(round) << 224) | Ballots.bound(commitment, evaluatorKey);
        if (word == expected | Ballots.REVEALED) revert RewardVotes_AlreadyRevealed(round, evaluatorKey);
        if (word != expected) revert RewardVotes_NotCommitment(round, evaluatorKey, commitment);
        ballots[position] = word | Ballots.REVEALED;
    }

    /// @dev The reveal that completes a shard's quorum counts the shard.
    function _countReveal(uint64 round, uint32 shard) internal {
        Shard storage votes = _shards[slotOf(round, shard)];
        uint256 committee = votes.committee.withReveal();
        votes.committee = committee;
        if (committee.revealsOf() != Tally.quorumOf(committee.sizeOf())) return;
        Totals storage totals = _totals[round];
        ++totals.heardShards;
        totals.shards = uint24((_commitments.committedCount(round) + SHARD_PEERS - 1) / SHARD_PEERS);
    }

    function _storeScores(Ballot calldata ballot) internal {
        uint256[2] memory packed;
        uint16[] calldata scoresMilli = ballot.scoresMilli;
        for (uint256 i = 0; i < scoresMilli.length; ++i) {
            uint16 scoreMilli = scoresMilli[i];
            if (scoreMilli > Tally.MAX_SCORE && scoreMilli != Tally.UNAVAILABLE) {
                revert RewardVotes_ScoreOutOfRange(i, scoreMilli);
            }
            packed[i / Tally.LANES] |= Tally.laneOf(scoreMilli) << ((i % Tally.LANES) * 16);
        }
        uint256[2] storage words = _shards[slotOf(ballot.round, ballot.shard)].scores[ballot.position];
        words[0] = packed[0];
        if (scoresMilli.length > Tally.LANES) words[1] = packed[1];
    }

    /// @dev In 256 bits: a caller may name any round.
    function _requireRound(uint64 round, uint256 roundsLater) internal view {
        uint64 current = _rounds.currentRound();
        uint256 dueRound = round + roundsLater;
        if (current != dueRound) revert RewardVotes_WrongRound(round, dueRound, current);
    }

    /// @dev Peers of a shard, 0 to 32.
    function _shardSize(uint64 round, uint32 shard) internal view returns (uint256 peers) {
        uint256 count = _commitments.committedCount(round);
        uint256 first = uint256(shard) * SHARD_PEERS;
        if (first >= count) return 0;
        return count - first < SHARD_PEERS ? count - first : SHARD_PEERS;
    }

    function _requirePosition(uint8 position) internal pure {
        if (position >= SEATS) revert RewardVotes_NoPosition(position, SEATS);
    }
}
