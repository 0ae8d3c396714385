// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IOpenings} from "./interfaces/IOpenings.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRewardVotes} from "./interfaces/IRewardVotes.sol";
import {ITaskPay} from "./interfaces/ITaskPay.sol";
import {Ballots} from "./libraries/Ballots.sol";
import {CommitteeWords} from "./libraries/CommitteeWords.sol";
import {Draws} from "./libraries/Draws.sol";
import {SHARD_PEERS, slotOf, tagOf} from "./libraries/Ring.sol";
import {SpecificationFields} from "./libraries/SpecificationFields.sol";
import {SEATS, Tally} from "./libraries/Tally.sol";
import {TaskFaults} from "./TaskFaults.sol";

/// @title ScoreOpenings
/// @notice The part of `Openings` that opens scores of single leaves, and pays the seats whose scores agree.
abstract contract ScoreOpenings is IOpenings, TaskFaults {
    using CommitteeWords for uint256;
    using SpecificationFields for bytes;

    /// @dev The openings of a shard, until the ring overwrites them.
    struct Opened {
        // The round's tag, bit 97 for a paid task, bit 96 for closed, 16 bits for the drawn leaf's index, then 16 bits
        // per position: 6 for the distance of the vote on the peer from the settled score, 10 for the score + 1.
        uint256 lanes;
        bytes32[SEATS] keys;
    }

    /// @dev Leaves that a peer owes in a round, and how many of them are scored; 0 if nobody has described it.
    struct Sample {
        // slot 0
        uint16 owed;
        uint16 sampled;
    }

    /// @inheritdoc IOpenings
    uint256 public constant OPENING_EMISSION_WEI = 200 ether;

    uint256 private constant LANE_BITS = 16;
    uint256 private constant SCORE_BITS = 10;
    uint256 private constant INDEX_SHIFT = LANE_BITS * SEATS;
    uint256 private constant CLOSED = 1 << 96;
    uint256 internal constant TASK_PAID = 1 << 97;

    IRewardVotes internal immutable _votes;
    IPeerRegistry internal immutable _registry;
    uint16 internal immutable _toleranceMilli;

    mapping(uint256 slot => Opened opened) internal _opened;
    mapping(bytes32 peerKey => uint256 amountWei) internal _earned;
    mapping(bytes32 environmentHash => Sample sample) internal _samples;

    /// @param votes The votes that are opened.
    constructor(IRewardVotes votes) TaskFaults(votes.rolloutCommitments()) {
        _votes = votes;
        _registry = votes.peerRegistry();
        _toleranceMilli = votes.TOLERANCE_MILLI();
    }

    /// @inheritdoc IOpenings
    function open(Opening calldata opening) external {
        IRewardVotes.Ballot calldata ballot = opening.ballot;
        (uint64 round, uint32 shard) = (ballot.round, ballot.shard);
        _requireRound(round, 4);
        // The account of now, as everywhere: it speaks for the key, and a key that moved takes its seats along.
        if (_registry.accountOf(ballot.evaluatorKey) != msg.sender) {
            revert Openings_NotSeatAccount(ballot.evaluatorKey, msg.sender);
        }
        _requireRevealed(ballot, opening.salt);
        Opened storage opened = _opened[slotOf(round, shard)];
        uint256 word = opened.lanes;
        if (word >> 224 != tagOf(round)) word = tagOf(round) << 224;
        uint256 shift = ballot.position * LANE_BITS;
        if (uint16(word >> shift) != 0) revert Openings_AlreadyOpened(round, ballot.evaluatorKey);
        (uint32 ordinal, uint128 place) = drawnOf(round, shard);
        _requireOrdinal(round, opening.peerKey, ordinal);
        uint256 lane = _requireAgreement(opening, ordinal % SHARD_PEERS) << SCORE_BITS;
        _commitments.requireLeaf(round, opening.peerKey, opening.work, opening.leaf, opening.leafProof);
        word |= _requireDrawn(opening, word, place) << INDEX_SHIFT;
        _requireScore(opening, ordinal % SHARD_PEERS);
        opened.keys[ballot.position] = ballot.evaluatorKey;
        opened.lanes = word | ((lane | Tally.laneOf(opening.scoreMilli)) << shift);
        _tellOpened(opening);
    }

    /// @inheritdoc IOpenings
    function describe(bytes calldata specification, uint256 owedAt, uint256 sampledAt) external {
        bytes32 environmentHash = keccak256(specification);
        if (_samples[environmentHash].sampled != 0) return;
        (uint256 owed, uint256 sampled) = specification.sampleAt(owedAt, sampledAt);
        _samples[environmentHash] = Sample(uint16(owed), uint16(sampled));
        emit EnvironmentDescribed(environmentHash, uint16(owed), uint16(sampled));
    }

    /// @inheritdoc IOpenings
    function sampleOf(bytes32 environmentHash) external view returns (uint16 owed, uint16 sampled) {
        Sample storage sample = _samples[environmentHash];
        return (sample.owed, sample.sampled);
    }

    /// @inheritdoc IOpenings
    function earnedOf(bytes32 peerKey) external view returns (uint256 amountWei) {
        return _earned[peerKey];
    }

    /// @inheritdoc IOpenings
    function stateOf(uint64 round, uint32 shard) external view returns (uint8 opened, bool closed) {
        uint256 word = _opened[slotOf(round, shard)].lanes;
        if (word >> 224 != tagOf(round)) return (0, false);
        for (uint256 i = 0; i < SEATS; ++i) if (uint16(word >> (LANE_BITS * i)) != 0) ++opened;
        closed = word & CLOSED != 0;
    }

    /// @inheritdoc IOpenings
    function close(uint64 round, uint32 shard) public {
        _requireRound(round, 5);
        Opened storage opened = _opened[slotOf(round, shard)];
        uint256 word = opened.lanes;
        if (word >> 224 != tagOf(round) || word & CLOSED != 0) return;
        opened.lanes = word | CLOSED;
        (uint32 index, uint16 medianMilli, uint256[SEATS] memory lanes) = _agreedIn(round, word);
        uint256 fullWei = _partOf(OPENING_EMISSION_WEI, round, shard) / SEATS;
        uint256[SEATS] memory paidWei;
        for (uint256 position = 0; position < SEATS; ++position) {
            if (lanes[position] == 0 || _apart(uint16(lanes[position] - 1), medianMilli) > _toleranceMilli) continue;
            uint256 apartMilli = uint16(word >> (LANE_BITS * position)) >> SCORE_BITS;
            paidWei[position] = (fullWei * (_toleranceMilli + 1 - apartMilli)) / (_toleranceMilli + 1);
            _earned[opened.keys[position]] += paidWei[position];
        }
        emit OpeningsClosed(round, shard, index, medianMilli, paidWei);
    }

    /// @inheritdoc IOpenings
    function drawnOf(uint64 round, uint32 shard) public view returns (uint32 ordinal, uint128 place) {
        bytes32 beacon = round > type(uint64).max - 2 ? bytes32(0) : _rounds.beaconOf(round + 2);
        uint32 scored = _votes.committeeWord(round, shard).scoredOf();
        if (beacon == 0 || scored == 0) revert Openings_NothingDrawn(round, shard);
        bytes32 seed = Draws.seedOf("waggle opening", round, beacon, bytes32(uint256(shard)));
        return (shard * SHARD_PEERS + Draws.among(scored, seed), uint128(uint256(seed)));
    }

    /// @inheritdoc ITaskPay
    function agreedOf(uint64 round, uint32 shard) public view returns (uint32 index, uint16 medianMilli) {
        (index, medianMilli, ) = _agreedIn(round, _opened[slotOf(round, shard)].lanes);
    }

    function _tellOpened(Opening calldata opening) internal {
        IRewardVotes.Ballot calldata ballot = opening.ballot;
        emit ComponentOpened(
            ballot.round,
            ballot.evaluatorKey,
            ballot.shard,
            ballot.position,
            opening.peerKey,
            opening.leaf.index,
            opening.scoreMilli
        );
    }

    /// @dev In 256 bits: a caller may name any round.
    function _requireRound(uint64 round, uint256 roundsLater) internal view {
        uint64 current = _rounds.currentRound();
        uint256 dueRound = round + roundsLater;
        if (current != dueRound) revert Openings_WrongRound(round, dueRound, current);
    }

    /// @dev A shard's part of a round's emission: proportional to its peers with points, so that keys without work
    /// dilute nobody, and smaller if the round weighs less than those before, so that silent shards gain the others
    /// nothing.
    function _partOf(uint256 emissionWei, uint64 round, uint32 shard) internal view returns (uint256 partWei) {
        uint256 count = 0;
        for (uint256 left = _votes.committeeWord(round, shard).scoredOf(); left != 0; left &= left - 1) ++count;
        (, uint256 peers, uint256 weight, uint256 meanWeight) = _votes.totalsOf(round);
        partWei = (emissionWei * count) / peers;
        if (weight < meanWeight) partWei = (partWei * weight) / meanWeight;
    }

    /// @dev The ballot is the one whose hash was revealed at that place.
    function _requireRevealed(IRewardVotes.Ballot calldata ballot, bytes32 salt) internal view {
        bytes32 commitment = keccak256(abi.encode(block.chainid, address(_votes), ballot, salt));
        uint256 expected =
            (tagOf(ballot.round) << 224) | Ballots.REVEALED | Ballots.bound(commitment, ballot.evaluatorKey);
        bool isPlace = ballot.position < SEATS;
        if (!isPlace || _votes.ballotWord(ballot.round, ballot.shard, ballot.position) != expected) {
            revert Openings_NotRevealed(ballot.round, ballot.evaluatorKey);
        }
    }

    /// @dev Requires that the vote on the peer was counted, and agrees with the settled score. The sender speaks for
    /// the seat.
    function _requireAgreement(Opening calldata opening, uint256 place) internal view returns (uint256 apartMilli) {
        IRewardVotes.Ballot calldata ballot = opening.ballot;
        (uint8 outcome, uint16 settledMilli) = _votes.outcomeOf(ballot.round, opening.peerKey);
        apartMilli = _apart(ballot.scoresMilli[place], settledMilli);
        bool isOwn = _registry.accountOf(opening.peerKey) == msg.sender;
        if (outcome != Tally.OUTCOME_SCORED || apartMilli > _toleranceMilli || isOwn) {
            revert Openings_VoteDisagrees(ballot.round, ballot.evaluatorKey);
        }
    }

    /// @dev The first seat that opens draws the leaf, and the others compare. Others of the peer's leaves would let the
    /// seats choose whose task is paid.
    function _requireDrawn(
        Opening calldata opening,
        uint256 word,
        uint128 place
    ) internal view returns (uint256 index) {
        bool isFirst = uint80(word) == 0;
        index = isFirst ? _drawnLeaf(opening, place) : uint16(word >> INDEX_SHIFT);
        if (opening.leaf.index != index) {
            revert Openings_NotDrawnLeaf(opening.ballot.round, opening.peerKey, uint32(index));
        }
    }

    /// @dev The first leaf that the peer committed of its sample, in the order drawn, from a place on.
    function _drawnLeaf(Opening calldata opening, uint128 place) internal view returns (uint32 index) {
        (uint64 round, bytes32 peerKey, uint32 leafCount) = (
            opening.ballot.round,
            opening.peerKey,
            opening.work.leafCount
        );
        bytes32 environmentHash = _rounds.environmentOf(round);
        Sample memory sample = _samples[environmentHash];
        if (sample.sampled == 0) revert Openings_NotDescribed(round, environmentHash);
        uint32[] memory indices = _commitments.sampledLeaves(round, peerKey, sample.owed, sample.sampled);
        for (uint256 step = 0; step < indices.length; ++step) {
            index = indices[((place % indices.length) + step) % indices.length];
            if (index < leafCount) return index;
        }
        revert Openings_NothingDrawn(round, opening.ballot.shard);
    }

    function _requireOrdinal(uint64 round, bytes32 peerKey, uint32 ordinal) internal view {
        bytes32[] memory keys = new bytes32[](1);
        keys[0] = peerKey;
        if (_commitments.ordinalsOf(round, keys)[0] != ordinal) revert Openings_NotDrawn(peerKey, ordinal);
    }

    /// @dev Requires that the ballot committed to the score at the leaf's place in a tree over all leaves of the peer.
    /// A seat with several scores for a leaf could open the one that the others opened.
    function _requireScore(Opening calldata opening, uint256 place) internal view {
        IRewardVotes.Ballot calldata ballot = opening.ballot;
        bool isScore =
            opening.scoreMilli <= Tally.MAX_SCORE &&
                opening.componentProof.length == Math.log2(opening.work.leafCount, Math.Rounding.Ceil) &&
                _scoreRoot(opening) == ballot.componentRoots[place];
        if (!isScore) revert Openings_NotItsScore(ballot.round, ballot.evaluatorKey);
    }

    /// @dev The bits of the leaf's index are the way up.
    function _scoreRoot(Opening calldata opening) internal view returns (bytes32 root) {
        root = _scoreLeaf(opening);
        uint256 place = opening.leaf.index;
        for (uint256 i = 0; i < opening.componentProof.length; ++i) {
            bytes32 sibling = opening.componentProof[i];
            root = place & 1 == 0 ? Hashes.efficientKeccak256(root, sibling) : Hashes.efficientKeccak256(sibling, root);
            place >>= 1;
        }
    }

    /// @dev The leaf of a component tree, as evaluators build it.
    function _scoreLeaf(Opening calldata opening) internal view returns (bytes32 leaf) {
        bytes32 inner = keccak256(
            abi.encode(
                block.chainid,
                opening.ballot.round,
                opening.ballot.evaluatorKey,
                opening.peerKey,
                opening.leaf.index,
                opening.scoreMilli,
                opening.componentsHash
            )
        );
        return keccak256(abi.encode(inner));
    }

    /// @dev The drawn leaf, the lower median of its scores (`Tally.UNAVAILABLE` of fewer than two), and the scores.
    function _agreedIn(
        uint64 round,
        uint256 word
    ) internal pure returns (uint32 index, uint16 medianMilli, uint256[SEATS] memory lanes) {
        if (word >> 224 != tagOf(round)) return (0, Tally.UNAVAILABLE, lanes);
        for (uint256 i = 0; i < SEATS; ++i) lanes[i] = (word >> (LANE_BITS * i)) & ((1 << SCORE_BITS) - 1);
        uint8 outcome;
        (outcome, medianMilli, ) = Tally.verdict(lanes, 2);
        if (outcome != Tally.OUTCOME_SCORED) return (0, Tally.UNAVAILABLE, lanes);
        index = uint16(word >> INDEX_SHIFT);
    }

    function _apart(uint16 a, uint16 b) internal pure returns (uint256 milli) {
        return a > b ? a - b : b - a;
    }
}
