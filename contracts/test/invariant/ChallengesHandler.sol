// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAppeals} from "../../src/interfaces/IAppeals.sol";
import {IWithheldLeaves} from "../../src/interfaces/IWithheldLeaves.sol";
import {Median} from "../Median.sol";
import {ScoredRounds} from "./ScoredRounds.sol";

/// @dev Plays challengers, appellants, peers and seats at random against settled rounds, and keeps its own accounts. It
/// also tries what the contracts must refuse: `slipped` counts what they let through.
contract ChallengesHandler is ScoredRounds {
    /// @dev A demand or a case that is or was open.
    struct Entry {
        uint64 round;
        bytes32 peer;
        uint32 index;
        uint64 opened;
        bool isOpen;
    }

    bytes32 internal constant SALT = keccak256("salt");
    uint256 public constant ACTORS = 3;

    Entry[] public demands;
    Entry[] public cases;
    mapping(bytes32 leaf => uint256 count) public openOf;
    mapping(bytes32 leaf => bool wasShown) internal shown;
    mapping(bytes32 caseKey => address[2] appellants) internal appellants;
    mapping(bytes32 caseKey => uint16[][2] verdicts) internal given;
    mapping(bytes32 caseKey => uint32[2] drawn) internal drawnOf;
    mapping(bytes32 caseKey => bool) internal isJudged;
    mapping(bytes32 caseKey => bool) internal isTaken;
    mapping(bytes32 caseKey => mapping(uint256 level => mapping(uint32 position => bool))) internal judged;
    mapping(bytes32 peer => uint256) internal lastEarned;
    /// @dev Whether nothing stays open until another round comes to its place in the ring. Drawn once a run.
    bool public isTidy;

    uint256 public openBonds;
    uint256 public seatPayDue;
    uint256 public slipped;
    uint256 public wronglyClosed;
    uint256 public upheldLosses;
    uint256 public fell;

    constructor(
        Parts memory parts_,
        bytes32[] memory peers_,
        bytes32[] memory seats_
    ) ScoredRounds(parts_, peers_, seats_) {}

    /// @dev Plays a whole round: everybody commits, the last but one is voted on, and so on. Seats give their verdicts.
    function pass(uint256 draw) public {
        uint64 round = parts.rounds.currentRound();
        if (round == 0) isTidy = draw % 2 == 1;
        if (isTidy && round >= 10) bank(round - 10);
        for (uint256 i = 0; i < PEERS; ++i) commit(round, peers[i]);
        for (uint256 i = 0; i < cases.length; ++i) if (cases[i].isOpen) giveVerdicts(cases[i], draw);
        if (round >= 1) vote(round - 1, draw);
        if (round >= 2) reveal(round - 2);
        if (round >= 3) settle(round - 3);
        fillSeats();
        vm.warp(parts.rounds.startOf(round + 1));
        // Sometimes the chain makes few blocks.
        vm.roll(vm.getBlockNumber() + ((draw >> 40) % 16));
        openBeacon(parts.rounds, round);
        parts.rounds.drawBeacon(round);
        for (uint256 i = 0; i < PEERS; ++i) {
            uint256 earned = parts.votes.earnedOf(peers[i]);
            if (earned < lastEarned[peers[i]]) ++fell;
            lastEarned[peers[i]] = earned;
        }
    }

    /// @dev Closes every case and demand of a round, which all can be by then.
    function bank(uint64 round) internal {
        vm.roll(vm.getBlockNumber() + 16);
        for (uint256 i = 0; i < cases.length; ++i) {
            if (cases[i].isOpen && cases[i].round == round) closeCase(cases[i], 0);
        }
        for (uint256 i = 0; i < demands.length; ++i) {
            if (demands[i].isOpen && demands[i].round == round) closeDemand(demands[i], 0);
        }
        for (uint256 i = 0; i < PEERS; ++i) bankedWei[peers[i]] += earnedIn(round, peers[i]);
        bankedTo = round + 1;
    }

    function demand(uint256 draw) external {
        uint64 current = parts.rounds.currentRound();
        uint64 back = uint64(draw % 4);
        if (back > current) return;
        (uint64 round, bytes32 peer) = (current - back, peers[(draw >> 8) % PEERS]);
        uint32 place = uint32((draw >> 16) % 5);
        bool isTime = (back == 1 || back == 2) && place < 4;
        uint32 index = isTime ? parts.commitments.sampledLeaves(round, peer, 8, 4)[place] : 0;
        bytes32 leaf = keccak256(abi.encode(round, peer, index));
        uint256 bondWei = parts.challenges.minDemandBond() + ((draw >> 24) % 1 ether);
        bytes memory data = abi.encodeCall(
            parts.challenges.demandLeaf,
            (round, peer, workOf(round, peer), IWithheldLeaves.Sample(parts.specification, 1, 13, place))
        );
        if (!send(draw >> 32, bondWei, data, isTime && openOf[leaf] == 0 && !shown[leaf])) return;
        demands.push(Entry(round, peer, index, current, true));
        ++openOf[leaf];
        ++openDemands[keccak256(abi.encode(round, peer))];
        openBonds += bondWei;
    }

    /// @dev Shows or closes a demand, sometimes one that is not open any more.
    function answer(uint256 draw) external {
        if (demands.length == 0) return;
        Entry storage entry = demands[draw % demands.length];
        if ((draw >> 8) % 2 == 1) return closeDemand(entry, draw >> 48);
        vm.txGasPrice((draw >> 16) % 1 gwei);
        // As long as the commitment is remembered.
        bool allowed = entry.isOpen && parts.commitments.committed(entry.round, entry.peer);
        bool isTaken = send(draw >> 48, 0, answerTo(entry), allowed);
        // The engine gives unused gas back to the runner's sender at this price, which can be the contract itself.
        vm.txGasPrice(0);
        if (!isTaken) return;
        ++reached[0];
        endDemand(entry);
    }

    function closeDemand(Entry storage entry, uint256 draw) internal {
        bytes memory data = abi.encodeCall(parts.challenges.closeDemand, (entry.round, entry.peer, entry.index));
        uint64 openedBlock = parts.challenges.demandOf(entry.round, entry.peer, entry.index).openedBlock;
        bool isDue = parts.rounds.currentRound() >= entry.opened + 2 && vm.getBlockNumber() >= openedBlock + 16;
        if (!send(draw, 0, data, entry.isOpen && isDue)) return;
        lose(entry.round, entry.peer);
        ++reached[1];
        endDemand(entry);
    }

    /// @dev Shown or withheld, it is not demanded again.
    function endDemand(Entry storage entry) internal {
        bytes32 leaf = keccak256(abi.encode(entry.round, entry.peer, entry.index));
        uint256 bondWei = parts.challenges.demandOf(entry.round, entry.peer, entry.index).bondWei;
        shown[leaf] = true;
        (entry.isOpen, openBonds) = (false, openBonds - bondWei);
        --openOf[leaf];
        --openDemands[keccak256(abi.encode(entry.round, entry.peer))];
    }

    function answerTo(Entry storage entry) internal view returns (bytes memory data) {
        (uint64 round, bytes32 peer, uint32 index) = (entry.round, entry.peer, entry.index);
        bytes32[] memory proof = proofOf(round, peer, index);
        return
            abi.encodeCall(parts.challenges.showLeaf, (round, peer, workOf(round, peer), leafOf(index), proof, BODY));
    }

    /// @dev A call to `Challenges` from an actor, held against what its rules say.
    function send(uint256 draw, uint256 valueWei, bytes memory data, bool allowed) internal returns (bool isTaken) {
        vm.prank(actorOf(draw));
        (isTaken, ) = address(parts.challenges).call{value: valueWei}(data);
        require(isTaken || !allowed, "a good call was refused");
        if (isTaken && !allowed) ++slipped;
    }

    function appeal(uint256 draw) external {
        uint64 current = parts.rounds.currentRound();
        if (current < 3) return;
        if (draw % 2 == 0 || cases.length == 0) return openCase(current - 3, peers[(draw >> 8) % PEERS], draw >> 16);
        Entry storage entry = cases[(draw >> 8) % cases.length];
        IAppeals.CaseView memory state = parts.challenges.caseOf(entry.round, entry.peer);
        bool allowed = entry.isOpen && !isLast(entry, state) && current == state.last.openedRound + 3;
        tryAppeal(entry.round, entry.peer, draw >> 16, allowed);
    }

    function openCase(uint64 round, bytes32 peer, uint256 draw) internal {
        settle(round);
        bool allowed = parts.challenges.caseOf(round, peer).levels == 0;
        allowed = allowed && outcome[round][peer] != 0 && outcome[round][peer] < 4;
        if (!tryAppeal(round, peer, draw, allowed)) return;
        cases.push(Entry(round, peer, 0, 0, true));
        openCases[keccak256(abi.encode(round, peer))] = uint256(score[round][peer]) + 1;
    }

    function tryAppeal(uint64 round, bytes32 peer, uint256 draw, bool allowed) internal returns (bool isOpen) {
        uint8 level = parts.challenges.caseOf(round, peer).levels;
        if (level > 1) return false;
        uint256 bondWei = parts.challenges.appealBond(level + 1);
        bytes memory data = abi.encodeCall(parts.challenges.appeal, (round, peer));
        if (!send(draw, bondWei, data, allowed)) return false;
        openBonds += bondWei;
        bytes32 key = keccak256(abi.encode(round, peer));
        appellants[key][level] = actorOf(draw);
        drawnOf[key][level] = parts.challenges.caseOf(round, peer).last.drawn;
        return true;
    }

    function close(uint256 draw) external {
        if (cases.length != 0) closeCase(cases[draw % cases.length], draw);
    }

    function closeCase(Entry storage entry, uint256 draw) internal {
        IAppeals.CaseView memory state = parts.challenges.caseOf(entry.round, entry.peer);
        bool allowed =
            entry.isOpen && parts.rounds.currentRound() >= state.last.openedRound + (isLast(entry, state) ? 3 : 4);
        uint256[ACTORS] memory before;
        for (uint256 i = 0; i < ACTORS; ++i) before[i] = parts.challenges.creditOf(actorOf(i));
        bytes memory data = abi.encodeCall(parts.challenges.closeAppeal, (entry.round, entry.peer));
        if (!send(draw, 0, data, allowed)) return;
        entry.isOpen = false;
        delete openCases[keccak256(abi.encode(entry.round, entry.peer))];
        settleBooks(entry, state, before);
    }

    function judge(uint256 draw) external {
        if (cases.length == 0) return;
        Entry storage entry = cases[draw % cases.length];
        if (entry.isOpen) return;
        IAppeals.CaseView memory state = parts.challenges.caseOf(entry.round, entry.peer);
        bytes32 key = keccak256(abi.encode(entry.round, entry.peer));
        for (uint8 level = 1; level <= state.levels; ++level) {
            uint16[] storage votes = given[key][level - 1];
            for (uint32 i = 0; i < votes.length; ++i) {
                if ((draw >> i) & 1 == 0) continue;
                uint32[] memory one = new uint32[](1);
                one[0] = i;
                parts.challenges.judgeSeats(entry.round, entry.peer, level, one);
                if (judged[key][level][i]) continue;
                judged[key][level][i] = true;
                if (isPaid(key, votes[i], state)) seatPayDue -= state.seatPayWei;
            }
        }
    }

    function withdraw(uint256 draw) external {
        address actor = actorOf(draw);
        uint256 owed = parts.challenges.creditOf(actor);
        if (owed != 0) parts.challenges.withdraw(actor);
    }

    /// @dev The plain rule for what stands, and that no side that it upholds has lost a bond.
    function settleBooks(Entry storage entry, IAppeals.CaseView memory state, uint256[ACTORS] memory before) internal {
        bytes32 key = keccak256(abi.encode(entry.round, entry.peer));
        uint16 standing = state.settledMilli;
        uint16[2] memory appealed;
        uint8 lastReached = 0;
        for (uint8 level = 0; level < state.levels; ++level) {
            appealed[level] = standing;
            (bool isReached, uint16 verdict) = Median.verdict(
                given[key][level],
                given[key][level].length,
                drawnOf[key][level],
                standing
            );
            if (isReached) isTaken[key] = false;
            else if ((lastReached == 0 || isTaken[key]) && isTakable(entry, state) && isGone(given[key][level])) {
                (isReached, isTaken[key], verdict) = (true, true, 0);
            }
            if (isReached) lastReached = level + 1;
            if (isReached && differs(verdict, standing)) standing = verdict;
        }
        isJudged[key] = lastReached != 0;
        bool isMoot = outcome[entry.round][entry.peer] >= 5;
        for (uint8 level = 0; level < state.levels; ++level) {
            uint256 bondWei = parts.challenges.appealBond(level + 1);
            openBonds -= bondWei;
            bool isUpheld = level + 1 > lastReached || differs(appealed[level], standing);
            for (uint256 i = 0; i < ACTORS; ++i) {
                if (actorOf(i) != appellants[key][level] || !isUpheld) continue;
                // Half of it pays the seats, if any came.
                uint256 backWei = given[key][level].length == 0 ? bondWei : bondWei / 2;
                if (parts.challenges.creditOf(actorOf(i)) < before[i] + backWei) ++upheldLosses;
            }
        }
        state = parts.challenges.caseOf(entry.round, entry.peer);
        if (state.isMoot != isMoot || state.finalMilli != standing) ++wronglyClosed;
        if (!isMoot) {
            if (standing != score[entry.round][entry.peer]) {
                (score[entry.round][entry.peer], outcome[entry.round][entry.peer]) = (standing, isTaken[key] ? 2 : 1);
                if (isTaken[key]) ++reached[5];
                ++reached[2];
            } else ++reached[3];
        }
        for (uint8 level = 0; level < state.levels; ++level) {
            uint16[] storage votes = given[key][level];
            for (uint256 i = 0; i < votes.length; ++i) {
                if (isPaid(key, votes[i], state)) seatPayDue += state.seatPayWei;
            }
        }
    }

    function giveVerdicts(Entry storage entry, uint256 draw) internal {
        IAppeals.CaseView memory state = parts.challenges.caseOf(entry.round, entry.peer);
        uint64 current = parts.rounds.currentRound();
        uint8 level = state.levels;
        bytes32 key = keccak256(abi.encode(entry.round, entry.peer));
        if (current == state.last.openedRound + 1) {
            bytes32[] memory jury = parts.challenges.juryOf(entry.round, entry.peer);
            uint16[] storage votes = given[key][level - 1];
            for (uint32 i = 0; i < jury.length; ++i) {
                uint256 word = uint256(keccak256(abi.encode(draw, key, level, i)));
                // Most agree, or there would seldom be a verdict that lets a score stand.
                uint16 vote_ = word % 8 < 6 ? state.settledMilli : uint16((word >> 8) % 1001);
                if (draw % 2 == 0) vote_ = uint16((word >> 16) % 8 < 6 ? (draw >> 8) % 1001 : (word >> 24) % 1001);
                if (word % 16 == 15 || (draw >> 4) % 8 == 0) vote_ = GONE;
                votes.push(vote_);
                bytes32 hash = keccak256(
                    abi.encode(
                        block.chainid,
                        address(parts.challenges),
                        entry.round,
                        entry.peer,
                        level,
                        i,
                        jury[i],
                        vote_,
                        SALT
                    )
                );
                vm.prank(parts.registry.accountOf(jury[i]));
                parts.challenges.commitVerdict(entry.round, entry.peer, i, jury[i], hash);
            }
        }
        if (current == state.last.openedRound + 2) {
            uint16[] storage votes = given[key][level - 1];
            for (uint32 i = 0; i < votes.length; ++i) {
                parts.challenges.revealVerdict(entry.round, entry.peer, i, votes[i], SALT);
            }
        }
    }

    function counts() external view returns (uint256 demandCount, uint256 caseCount) {
        return (demands.length, cases.length);
    }

    function actorOf(uint256 draw) public pure returns (address actor) {
        return address(uint160(0xAC70 + (draw % ACTORS)));
    }

    function isLast(Entry storage entry, IAppeals.CaseView memory state) internal view returns (bool last) {
        if (state.levels == 2 || state.last.drawn == state.last.seats) return true;
        return isGone(given[keccak256(abi.encode(entry.round, entry.peer))][0]) && !isTakable(entry, state);
    }

    /// @dev A seat of the committee had nothing to score, see `ballotFor`, and the others gave more than the tolerance.
    function isTakable(Entry storage entry, IAppeals.CaseView memory state) internal view returns (bool takable) {
        for (uint256 i = 0; i < PEERS; ++i) {
            if (peers[i] == entry.peer) takable = (entry.round + i) % 4 == 1 && state.settledMilli > 25;
        }
    }

    /// @dev The whole jury voted, and most of it found the bundle gone.
    function isGone(uint16[] storage cast) internal view returns (bool gone) {
        uint256 missing = 0;
        for (uint256 i = 0; i < cast.length; ++i) if (cast[i] == GONE) ++missing;
        return missing * 2 > cast.length;
    }

    /// @dev Votes near the score that stands, if there was a verdict; else those that agree with the last jury; else all.
    function isPaid(bytes32 key, uint16 vote_, IAppeals.CaseView memory state) internal view returns (bool paid) {
        if (isTaken[key]) return vote_ == GONE;
        if (isJudged[key]) return vote_ != GONE && !differs(vote_, state.finalMilli);
        return !isGone(given[key][state.levels - 1]) || vote_ == GONE;
    }

    function differs(uint16 a, uint16 b) internal pure returns (bool isFar) {
        return (a > b ? a - b : b - a) > 25;
    }
}
