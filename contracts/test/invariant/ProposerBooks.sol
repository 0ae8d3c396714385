// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IStakes} from "../../src/interfaces/IStakes.sol";
import {OpeningsFixture} from "../OpeningsFixture.sol";

/// @dev Two proposers that commit to secrets, and propose or withhold them, which anyone challenges, rightly and not, and
/// twice; and the Nectar that they stake. It keeps its own books.
abstract contract ProposerBooks is OpeningsFixture {
    uint64 internal lastBase;
    uint64[] internal playedRounds;
    mapping(uint64 round => mapping(bytes32 proposerKey => bool)) internal hasSecret;
    mapping(uint64 round => mapping(bytes32 proposerKey => bool)) internal hasProposed;
    mapping(uint64 round => mapping(bytes32 proposerKey => bool)) internal isShown;
    /// @dev Whether the beacon that the round's tasks are sampled by is void.
    mapping(uint64 round => bool) internal isBlind;

    mapping(bytes32 peerKey => uint256 amountWei) public expectedWei;
    mapping(bytes32 peerKey => uint256 amountWei) public claimedWei;
    mapping(bytes32 peerKey => uint256 amountWei) public stakedWei;
    uint256 public faults;
    uint256 public burntWei;
    uint256 public refused;
    uint256 public slipped;

    /// @dev Secrets two rounds before the one that is played, and proposals in that before it.
    function proposeFor(uint256 draw) internal {
        playedRounds.push(base);
        for (uint256 i = 1; i < 3; ++i) {
            if ((draw >> i) % 4 == 0) continue;
            commitSecret(base, solvers[i]);
            hasSecret[base][solvers[i]] = true;
        }
        isBlind[base] = (draw >> 8) % 8 == 0;
        if (isBlind[base]) vm.warp(rounds.startOf(base - 1));
        else enterRound(base - 1);
        for (uint256 i = 1; i < 3; ++i) {
            bool mayPropose = hasSecret[base][solvers[i]];
            if ((draw >> (16 + i)) % 3 == 0) continue;
            address account = registry.accountOf(solvers[i]);
            vm.prank(account);
            try commitments.propose(base, solvers[i], secretOf(base), 3, TASKS, 0) {
                note(mayPropose);
                hasProposed[base][solvers[i]] = true;
            } catch {
                require(!mayPropose, "a good proposal was refused");
                ++refused;
            }
            if ((draw >> (24 + i)) % 2 == 0) proposeAgain(account, solvers[i]);
        }
    }

    /// @dev Other tasks, which are always too late; in the round itself, too.
    function proposeAgain(address account, bytes32 proposer) internal {
        if (!hasProposed[base][proposer] && rounds.currentRound() < base) return;
        vm.prank(account);
        try commitments.propose(base, proposer, secretOf(base), 2, "other tasks", 0) {
            note(false);
        } catch {
            ++refused;
        }
    }

    /// @dev Anyone challenges a secret, now and then twice.
    function fault(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        if (playedRounds.length == 0) return;
        challenge(draw);
        if ((draw >> 24) % 4 == 0) challenge(draw);
        bytes32 late = solvers[1 + ((draw >> 32) % 2)];
        if ((draw >> 40) % 4 == 0) proposeAgain(registry.accountOf(late), late);
    }

    function challenge(uint256 draw) internal {
        bytes32 proposer = solvers[1 + (draw % 2)];
        uint64 round = (draw >> 1) % 4 == 0 && lastBase != 0 ? lastBase : base;
        if ((draw >> 8) % 8 == 0) ++round;
        // The ring of eight rounds may have come to its place.
        bool allowed = isWithheld(round, proposer) && !hasSecret[round + 8][proposer] && !isShown[round][proposer];
        uint256 lost = stakedWei[proposer] < 0.5 ether ? stakedWei[proposer] : 0.5 ether;
        vm.prank(address(uint160(uint256(keccak256(abi.encode(draw))))));
        try openings.challengeSecret(round, proposer) returns (uint256 lostWei) {
            note(allowed && lostWei == lost);
            if (!allowed) return;
            isShown[round][proposer] = true;
            stakedWei[proposer] -= lost;
            burntWei += lost;
            ++faults;
        } catch {
            require(!allowed, "a good challenge was refused");
            ++refused;
        }
    }

    /// @dev Somebody claims its Nectar, and a proposer makes its stake whole.
    function restake(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        bytes32 claimer = (draw % 6) < 3 ? evaluators[draw % 3] : solvers[draw % 3];
        uint256 dueWei = votes.earnedOf(claimer) + expectedWei[claimer] - claimedWei[claimer];
        note(nectar.claim(claimer) == dueWei);
        claimedWei[claimer] += dueWei;
        bytes32 proposer = solvers[1 + ((draw >> 8) % 2)];
        address account = registry.accountOf(proposer);
        uint256 missingWei = 50 ether - stakedWei[proposer];
        bool allowed = missingWei != 0 && nectar.balanceOf(account) >= missingWei;
        vm.prank(account);
        try stakes.stake(IStakes.Duty.Proposer, proposer) {
            note(allowed);
            stakedWei[proposer] += missingWei;
        } catch {
            require(!allowed, "a good stake was refused");
            ++refused;
        }
    }

    /// @dev Whether every stored proposal of a round that is played is what its proposer gave, and nobody else has one.
    function proposalsStand() external view returns (bool stand) {
        for (uint256 i = 1; i < 3; ++i) {
            (uint16 count, uint208 hash) = commitments.proposalOf(base, solvers[i]);
            bool isHere = count == 3 && hash == uint208(uint256(keccak256(TASKS)));
            if (isHere != hasProposed[base][solvers[i]] || (!isHere && count != 0)) return false;
        }
        return true;
    }

    function note(bool allowed) internal {
        if (!allowed) ++slipped;
    }

    /// @dev The rule in words: a secret was due, could be shown, and was not.
    function isWithheld(uint64 round, bytes32 proposer) internal view returns (bool is_) {
        return hasSecret[round][proposer] && !hasProposed[round][proposer] && !isBlind[round];
    }
}
