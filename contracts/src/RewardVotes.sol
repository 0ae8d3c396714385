// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ShardBallots} from "./ShardBallots.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRewardVotes} from "./interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {Ballots} from "./libraries/Ballots.sol";
import {CommitteeWords} from "./libraries/CommitteeWords.sol";
import {SHARD_PEERS, slotOf, tagOf} from "./libraries/Ring.sol";
import {SEATS, Tally} from "./libraries/Tally.sol";

/// @title RewardVotes
contract RewardVotes is ShardBallots {
    using CommitteeWords for uint256;

    /// @dev Values that settling a page reads once for all its peers.
    struct Page {
        uint256 quorum;
        uint256 pointsMilli;
        uint256 weight;
        uint256 scoredPlaces; // a bit for each place that the page gives points
        uint256 scoredPeers;
        uint256[SEATS] firstScores; // the first word of each position's scores, and the second
        uint256[SEATS] lastScores;
        address[SEATS] accounts;
        uint64 round;
        uint32 shard;
        uint24 number; // see `Totals`
        bool isVoid;
    }

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
    ) ShardBallots(admin, registry, clock, commitments, stakes_) {}

    /// @inheritdoc IRewardVotes
    function settle(uint64 round, uint32 shard, bytes32[] calldata peerKeys) external {
        _requireRound(round, 3);
        uint256 closedFromSec = _rounds.lastQuarterOf(round + 3);
        if (block.timestamp >= closedFromSec) revert RewardVotes_SettlementClosed(round, closedFromSec);
        Page memory page = _openPage(round, shard);
        uint32[] memory ordinals = _commitments.ordinalsOf(round, peerKeys);
        for (uint256 i = 0; i < peerKeys.length; ++i) _settle(page, peerKeys[i], ordinals[i]);
        if (page.pointsMilli == 0) return;
        Totals storage totals = _totals[round];
        totals.pointsMilli += uint40(page.pointsMilli);
        totals.weight += uint40(page.weight);
        totals.scoredPeers += uint24(page.scoredPeers);
        Shard storage votes = _shards[slotOf(round, shard)];
        votes.committee = votes.committee.withScored(page.scoredPlaces);
    }

    /// @inheritdoc IRewardVotes
    function isOutage(uint64 round) public view returns (bool outage) {
        Totals storage totals = _totals[round];
        return totals.heardShards == 0 || 2 * totals.heardShards < totals.shards;
    }

    /// @dev Reads what a page needs; the first page of a shard judges absences, unless the round was an outage.
    function _openPage(uint64 round, uint32 shard) internal returns (Page memory page) {
        Shard storage votes = _shards[slotOf(round, shard)];
        (page.round, page.shard) = (round, shard);
        page.isVoid = _beaconOf(round) == 0 || (round > 0 && _beaconOf(round - 1) == 0);
        if (page.isVoid) return page;
        uint256 committee = votes.committee;
        // Nobody on it has voted, so nobody has drawn it either.
        if (!committee.isOf(round)) committee = _openCommittee(votes, round, shard);
        uint256 seats = committee.sizeOf();
        page.quorum = Tally.quorumOf(seats);
        bool isFirst = !committee.isJudged() && _shardSize(round, shard) != 0;
        if (isFirst) votes.committee = committee.withJudged();
        bool isHeard = !isOutage(round);
        page.number = _numberOf(round, isHeard);
        bool isBlamed = isFirst && isHeard;
        for (uint256 position = 0; position < seats; ++position) {
            bytes32 evaluatorKey = _evaluatorKeys[committee.numberAt(position)];
            uint256 word = votes.ballots[position];
            bool isCommitted = word >> 224 == tagOf(round);
            bool isRevealed = isCommitted && word & Ballots.REVEALED != 0;
            if (isRevealed) {
                page.accounts[position] = _registry.accountOf(evaluatorKey);
                page.firstScores[position] = votes.scores[position][0];
                page.lastScores[position] = votes.scores[position][1];
            }
            if (isFirst && isRevealed) _forgive(evaluatorKey);
            if (isBlamed && !isRevealed) _miss(round, evaluatorKey, isCommitted);
        }
    }

    function _settle(Page memory page, bytes32 peerKey, uint32 ordinal) internal {
        if (ordinal / SHARD_PEERS != page.shard) revert RewardVotes_NotInShard(page.round, peerKey, page.shard);
        if (_hasOutcome(page.round, peerKey)) return;
        (uint8 outcome, uint16 scoreMilli, uint8 cast) = (Tally.OUTCOME_VOID, 0, 0);
        if (!page.isVoid) {
            address account = _registry.accountOf(peerKey);
            (outcome, scoreMilli, cast) = Tally.verdict(_lanesOf(page, ordinal, account), page.quorum);
        }
        page.weight += _recordOutcome(page.round, peerKey, outcome, scoreMilli, page.number);
        if (scoreMilli != 0) {
            page.pointsMilli += scoreMilli;
            page.scoredPlaces |= 1 << (ordinal % SHARD_PEERS);
            ++page.scoredPeers;
        }
        emit Settled(page.round, peerKey, scoreMilli, cast, outcome);
    }

    /// @dev The votes on one peer, without those of its own account.
    function _lanesOf(
        Page memory page,
        uint32 ordinal,
        address account
    ) internal pure returns (uint256[SEATS] memory lanes) {
        unchecked {
            uint256 place = ordinal % SHARD_PEERS;
            uint256[SEATS] memory words = place < Tally.LANES ? page.firstScores : page.lastScores;
            address[SEATS] memory accounts = page.accounts;
            uint256 shift = (place % Tally.LANES) * 16;
            for (uint256 position = 0; position < SEATS; ++position) {
                if (accounts[position] != account) lanes[position] = uint16(words[position] >> shift);
            }
        }
    }
}
