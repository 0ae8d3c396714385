// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRewardVotes} from "./interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {RING} from "./libraries/Ring.sol";
import {VoteWords} from "./libraries/VoteWords.sol";

/// @title RewardVotes
contract RewardVotes is IRewardVotes, AccessControl {
    using VoteWords for uint256;

    /// @dev Who sits from a round on, until the next set's round. Kept for ever, so that any round's quorum can be
    /// checked.
    struct SeatSet {
        uint64 fromRound;
        bytes32[] keys;
        mapping(bytes32 evaluatorKey => uint256 seat) seatPlusOne;
    }

    /// @dev What a commitment is the hash of, in its order. In memory, since all of it does not fit the stack.
    struct Ballot {
        uint256 chainId;
        address votes;
        uint64 round;
        bytes32 evaluatorKey;
        bytes32[] peerKeys;
        uint16[] scoresMilli;
        bytes32[] componentRoots;
        bytes32 contentId;
        bytes32 salt;
    }

    /// @inheritdoc IRewardVotes
    uint16 public constant UNAVAILABLE = VoteWords.UNAVAILABLE;

    /// @inheritdoc IRewardVotes
    uint256 public constant MAX_SEATS = VoteWords.SEATS;

    /// @inheritdoc IRewardVotes
    bytes32 public constant EVALUATOR_ADMIN_ROLE = keccak256("EVALUATOR_ADMIN_ROLE");

    IPeerRegistry internal immutable _registry;
    IRounds internal immutable _rounds;
    IRolloutCommitments internal immutable _commitments;

    /// @dev Rises strictly in `fromRound`; the first is empty and from round 0.
    SeatSet[] internal _seatSets;

    /// @dev One word: round + 1 in the upper 64 bits, then 1 bit for revealed, then the lower 191 bits of the
    /// commitment.
    mapping(bytes32 evaluatorKey => uint256[RING] words) internal _ballots;

    /// @dev See `VoteWords`.
    mapping(bytes32 peerKey => uint256[RING] words) internal _votes;

    mapping(bytes32 peerKey => uint256 total) internal _points;

    uint256 private constant REVEALED = 1 << 191;

    /// @param admin Holds every role at first.
    /// @param registry Says who speaks for a peer.
    /// @param clock The clock.
    /// @param commitments The commitments that are voted on.
    constructor(address admin, IPeerRegistry registry, IRounds clock, IRolloutCommitments commitments) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(EVALUATOR_ADMIN_ROLE, admin);
        _registry = registry;
        _rounds = clock;
        _commitments = commitments;
        _seatSets.push();
    }

    /// @inheritdoc IRewardVotes
    function admitEvaluator(bytes32 peerKey) external onlyRole(EVALUATOR_ADMIN_ROLE) {
        SeatSet storage seats = _openSeatSet();
        if (seats.seatPlusOne[peerKey] != 0) revert RewardVotes_AlreadySeated(peerKey);
        if (seats.keys.length == MAX_SEATS) revert RewardVotes_NoSeatLeft(MAX_SEATS);
        seats.keys.push(peerKey);
        seats.seatPlusOne[peerKey] = seats.keys.length;
        emit EvaluatorAdmitted(peerKey, seats.fromRound);
    }

    /// @inheritdoc IRewardVotes
    function removeEvaluator(bytes32 peerKey) external onlyRole(EVALUATOR_ADMIN_ROLE) {
        SeatSet storage seats = _openSeatSet();
        uint256 position = seats.seatPlusOne[peerKey];
        if (position == 0) revert RewardVotes_NotSeated(peerKey, seats.fromRound);
        bytes32 last = seats.keys[seats.keys.length - 1];
        seats.keys[position - 1] = last;
        seats.seatPlusOne[last] = position;
        seats.seatPlusOne[peerKey] = 0;
        seats.keys.pop();
        emit EvaluatorRemoved(peerKey, seats.fromRound);
    }

    /// @inheritdoc IRewardVotes
    function commitVotes(uint64 round, bytes32 evaluatorKey, bytes32 commitment) external {
        _requireRound(round, round + 1);
        _requireSpeaker(evaluatorKey);
        _seatOf(round, evaluatorKey);
        _rounds.drawBeacon(round);
        uint256 tag = _tagOf(round);
        if (_ballots[evaluatorKey][round % RING] >> 192 == tag) {
            revert RewardVotes_AlreadyCommitted(round, evaluatorKey);
        }
        _ballots[evaluatorKey][round % RING] = (tag << 192) | _truncated(commitment);
        emit VotesCommitted(round, evaluatorKey, commitment);
    }

    /// @inheritdoc IRewardVotes
    function revealVotes(
        uint64 round,
        bytes32 evaluatorKey,
        bytes32[] calldata peerKeys,
        uint16[] calldata scoresMilli,
        bytes32[] calldata componentRoots,
        bytes32 contentId,
        bytes32 salt
    ) external {
        Ballot memory ballot;
        ballot.chainId = block.chainid;
        ballot.votes = address(this);
        ballot.round = round;
        ballot.evaluatorKey = evaluatorKey;
        ballot.peerKeys = peerKeys;
        ballot.scoresMilli = scoresMilli;
        ballot.componentRoots = componentRoots;
        ballot.contentId = contentId;
        ballot.salt = salt;
        _reveal(ballot);
    }

    /// @inheritdoc IRewardVotes
    function settle(uint64 round, bytes32[] calldata peerKeys) external {
        _requireRound(round, round + 3);
        uint256 quorum = _seatSetAt(round).keys.length / 2 + 1;
        if (quorum < 2) quorum = 2;
        for (uint256 i = 0; i < peerKeys.length; ++i) _settle(round, peerKeys[i], quorum);
    }

    /// @inheritdoc IRewardVotes
    function points(bytes32 peerKey) external view returns (uint256 total) {
        return _points[peerKey];
    }

    /// @inheritdoc IRewardVotes
    function outcomeOf(uint64 round, bytes32 peerKey) external view returns (uint8 outcome, uint16 scoreMilli) {
        uint256 word = _votes[peerKey][round % RING].forRound(round);
        outcome = word.outcomeOf();
        if (outcome != 0) scoreMilli = word.scoreOf();
    }

    /// @inheritdoc IRewardVotes
    function seatsAt(uint64 round) external view returns (bytes32[] memory evaluatorKeys) {
        return _seatSetAt(round).keys;
    }

    /// @inheritdoc IRewardVotes
    function votesCommitted(uint64 round, bytes32 evaluatorKey) external view returns (bool made) {
        return _ballots[evaluatorKey][round % RING] >> 192 == _tagOf(round);
    }

    /// @inheritdoc IRewardVotes
    function votesRevealed(uint64 round, bytes32 evaluatorKey) external view returns (bool made) {
        uint256 word = _ballots[evaluatorKey][round % RING];
        return word >> 192 == _tagOf(round) && word & REVEALED != 0;
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

    /// @dev The set of the first round that has not begun; a copy of the last one if none has been opened for it.
    function _openSeatSet() internal returns (SeatSet storage open) {
        uint64 fromRound = _rounds.firstOpenRound();
        SeatSet storage last = _seatSets[_seatSets.length - 1];
        if (last.fromRound == fromRound) return last;
        open = _seatSets.push();
        open.fromRound = fromRound;
        for (uint256 seat = 0; seat < last.keys.length; ++seat) {
            bytes32 key = last.keys[seat];
            open.keys.push(key);
            open.seatPlusOne[key] = seat + 1;
        }
    }

    function _reveal(Ballot memory ballot) internal {
        _requireRound(ballot.round, ballot.round + 2);
        _requireSpeaker(ballot.evaluatorKey);
        uint256 count = ballot.peerKeys.length;
        if (count != ballot.scoresMilli.length || count != ballot.componentRoots.length) {
            revert RewardVotes_LengthMismatch(count, ballot.scoresMilli.length, ballot.componentRoots.length);
        }
        _markRevealed(ballot);
        uint256 seat = _seatOf(ballot.round, ballot.evaluatorKey);
        for (uint256 i = 0; i < count; ++i) {
            _castVote(ballot.round, seat, ballot.peerKeys[i], ballot.scoresMilli[i]);
        }
        emit VotesRevealed(
            ballot.round,
            ballot.evaluatorKey,
            ballot.peerKeys,
            ballot.scoresMilli,
            ballot.componentRoots,
            ballot.contentId
        );
    }

    /// @dev Checks: the ballot is committed, and not revealed.
    function _markRevealed(Ballot memory ballot) internal {
        (uint64 round, bytes32 evaluatorKey, bytes32 commitment) = (ballot.round, ballot.evaluatorKey, _hash(ballot));
        uint256 word = _ballots[evaluatorKey][round % RING];
        uint256 expected = (_tagOf(round) << 192) | _truncated(commitment);
        if (word == expected | REVEALED) revert RewardVotes_AlreadyRevealed(round, evaluatorKey);
        if (word != expected) revert RewardVotes_NotCommitment(round, evaluatorKey, commitment);
        _ballots[evaluatorKey][round % RING] = word | REVEALED;
    }

    function _castVote(uint64 round, uint256 seat, bytes32 peerKey, uint16 scoreMilli) internal {
        if (scoreMilli > VoteWords.MAX_SCORE && scoreMilli != UNAVAILABLE) {
            revert RewardVotes_ScoreOutOfRange(peerKey, scoreMilli);
        }
        if (_registry.accountOf(peerKey) == msg.sender) revert RewardVotes_OwnPeer(peerKey, msg.sender);
        if (!_commitments.committed(round, peerKey)) revert RewardVotes_NoCommitment(round, peerKey);
        uint256[RING] storage ring = _votes[peerKey];
        uint256 word = ring[round % RING].forRound(round);
        if (word.hasVote(seat)) revert RewardVotes_DuplicatePeer(peerKey);
        ring[round % RING] = word.withVote(seat, scoreMilli);
    }

    function _settle(uint64 round, bytes32 peerKey, uint256 quorum) internal {
        uint256[RING] storage ring = _votes[peerKey];
        uint256 word = ring[round % RING].forRound(round);
        if (word.outcomeOf() != 0) return;
        if (!_commitments.committed(round, peerKey)) revert RewardVotes_NoCommitment(round, peerKey);
        (uint8 outcome, uint16 scoreMilli, uint256 cast) = word.tally(quorum);
        ring[round % RING] = word.settled(outcome, scoreMilli);
        if (scoreMilli != 0) _points[peerKey] += scoreMilli;
        emit Settled(round, peerKey, scoreMilli, uint8(cast), outcome);
    }

    function _requireRound(uint64 round, uint64 dueRound) internal view {
        uint64 current = _rounds.currentRound();
        if (current != dueRound) revert RewardVotes_WrongRound(round, dueRound, current);
    }

    function _requireSpeaker(bytes32 evaluatorKey) internal view {
        if (_registry.accountOf(evaluatorKey) != msg.sender) {
            revert RewardVotes_NotPeerAccount(evaluatorKey, msg.sender);
        }
    }

    function _seatOf(uint64 round, bytes32 evaluatorKey) internal view returns (uint256 seat) {
        uint256 position = _seatSetAt(round).seatPlusOne[evaluatorKey];
        if (position == 0) revert RewardVotes_NotSeated(evaluatorKey, round);
        return position - 1;
    }

    function _seatSetAt(uint64 round) internal view returns (SeatSet storage seats) {
        uint256 i = _seatSets.length - 1;
        while (_seatSets[i].fromRound > round) --i;
        return _seatSets[i];
    }

    /// @dev The hash of the ballot's words as separate arguments. A struct with arrays is encoded as its offset, 32,
    /// and then just that; so the first word is left out.
    function _hash(Ballot memory ballot) internal pure returns (bytes32 commitment) {
        bytes memory encoded = abi.encode(ballot);
        assembly ("memory-safe") {
            commitment := keccak256(add(encoded, 0x40), sub(mload(encoded), 0x20))
        }
    }

    function _tagOf(uint64 round) internal pure returns (uint256 tag) {
        return uint256(round) + 1;
    }

    function _truncated(bytes32 commitment) internal pure returns (uint256 bits) {
        return uint256(commitment) & (REVEALED - 1);
    }
}
